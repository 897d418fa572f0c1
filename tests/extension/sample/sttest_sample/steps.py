"""Where the passes of this distribution stand; they are imported when they run."""

from sttest.compile.steps import Step

CLIP_RESULTS = Step("clip-results", "sttest_sample.clip_results:ClipResults", after="insert-forks")
