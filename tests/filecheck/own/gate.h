static float gate_of(float a, float b) { return a * b; }
