"""Numbers that a search of designs chooses for itself: none of them has a source, and none changes what a design is.

Each says its unit where it has one, and why it is what it is.  Descents and samplers come to other designs with other
numbers, for the same seed.
"""

from sttest.boards.resources import Resources

# --- The space and its seeds


LEAST_WORK = 0.01  # assumed: a contraction with less of the block's work has no option of its own
SEED_BUDGETS = (0.5, 0.25, 0.75)  # assumed: where among the budgets the seeds lie, the middle first
STEPS_PER_OCTAVE = 4  # assumed: steps per doubling of the factor that HIDA's ways scale by
LEAST_COST = 1e-9  # assumed: share of the board; a raise that takes nothing still has a finite gain

# --- Recipes


LEAST_STEPS = 32  # assumed: steps in which the lanes of products go through a block's weights, at least

# --- Descent over lanes


# assumed: what a share of the budget costs; LUTs are what these designs run out of first
SHARE_COSTS = Resources(dsp=0.4, lut=1.0, ff=0.2, bram18=0.2, uram=0.2)
OVERFULL_COST = 10.0  # assumed: per budget beyond the budget; more than a whole budget costs
TRIMMING_PRICES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)  # assumed: half-decades, rising until the design fits
FILLING_PRICES = (1.0, 0.3, 0.1, 0.03, 0.01)  # assumed: half-decades, falling while there is room
# assumed: where lanes do not lower what is beyond a budget at this price, it is nothing that lanes decide
HIGH_PRICE = 1.0
# assumed: of a design that fits from the start; whoever is faster with it gets room before others give any up
GROWING_PRICE = 0.03
LEAST_GAIN = 0.002  # assumed: in ln(cycles), 0.2 %; a step that can bring no more is not tried
LEAST_STEP = 0.0005  # assumed: in ln(cycles), 0.05 %; a step that brings no more is not kept
IDLE_SHARE = 0.002  # assumed: share of the critical path below which nobody waits for an engine
MOST_SPARED = 12  # assumed: rounds in which lanes that nobody waits for are halved
MOST_PASSES = 2  # assumed: visits of all engines at one price

# --- What processes keep and wait for; results do not depend on these


KEPT_DESIGNS = 4096  # assumed: designs that a process remembers; points often come to the same lanes
KEPT_TILINGS = 64  # assumed: tilings that a process remembers the facts of
# assumed: thresholds of the garbage collector; a compiled module is many small objects, and collecting every 700 of
# them, as is the default, takes an eighth of the time
COLLECT_EVERY = (50_000, 20, 100)
POLL_S = 0.05  # assumed: seconds between looks for points to take
WATCH_S = 1.0  # assumed: seconds; a look takes some hundredths of a second of a core that a process could use
LOST_AFTER_S = 900  # assumed: seconds after which a process on another machine is lost; a design takes seconds
MOST_AT_ONCE = 4  # assumed: slots that a process takes in one transaction
BUSY_TIMEOUT_S = 120  # assumed: seconds that processes that share an SQLite file wait for each other
