"""What-if studies, ablations, tables and the report: what the verbs and the API need above the compiler."""
