"""The max-plus engine: the same times as the discrete-event engine, compiled, by local clocks.

Blocking accesses make all times determinate: the cycle of an access is the maximum of
a few earlier cycles plus constants.  So every process runs ahead on its own clock for as
long as the times that it needs are known, in any order.  Only where ports share a channel,
or firings of an actor may overtake each other, does order matter: those decisions wait
until nobody can go on, and then the earliest is taken.
"""
