"""What this distribution offers; nothing of it is imported before it is asked for."""

from sttest.core.extensions import Extension, Offer

EXTENSION = Extension(
    "sample",
    (
        Offer("verbs", "count", "sttest_sample.count:count_verb", "Count the processes and FIFOs of a timed graph."),
        Offer("formats", "pipes", "sttest_sample.pipes:PIPES"),
        Offer("passes", "clip-results", "sttest_sample.steps:CLIP_RESULTS"),
        Offer("ops", "sample", "sttest_sample.dialect:SAMPLE"),
        Offer("values", "sample.clip", "sttest_sample.values:clip"),
        Offer("memories", "paged", "sttest_sample.paged:Paged"),
        Offer("boards", "paged-card", "sttest_sample:boards/paged-card.yaml"),
        Offer("backends", "unbounded", "sttest_sample.unbounded:UNBOUNDED", "Times with FIFOs that are never full."),
        Offer("backends", "broken", "sttest_sample.no_such:BROKEN", "A backend that cannot be imported."),
        Offer("weight_types", "quinary", "sttest_sample.weights:QUINARY"),
        Offer("schemes", "quinary-a8", "sttest_sample.weights:QUINARY_A8"),
        Offer("families", "bare", "sttest_sample.bare:BARE"),
        Offer("models", "bare-gpt2", "sttest_sample.bare:BARE_GPT2"),
        Offer("studies", "waits", "sttest_sample.waits:__file__"),
        Offer("verbs", "size", "sttest_sample.count:count_verb", "A verb that sttest has already."),
    ),
)
