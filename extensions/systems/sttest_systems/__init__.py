"""Studies of other published systems on sttest: a folder each, with ``study.yaml``, model, experiment and figure."""
