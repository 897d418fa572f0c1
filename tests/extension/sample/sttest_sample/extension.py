"""What this distribution offers; nothing of it is imported before it is asked for."""

from sttest.core.extensions import Extension, Offer

EXTENSION = Extension(
    "sample",
    (
        Offer("verbs", "count", "sttest_sample.count:count_verb", "Count the processes and FIFOs of a timed graph."),
        Offer("formats", "pipes", "sttest_sample.pipes:PIPES"),
        Offer("weight_types", "quinary", "sttest_sample.weights:QUINARY"),
        Offer("schemes", "quinary-a8", "sttest_sample.weights:QUINARY_A8"),
        Offer("verbs", "size", "sttest_sample.count:count_verb", "A verb that sttest has already."),
    ),
)
