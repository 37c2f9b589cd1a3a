"""All studies, by name; each has shipped results, and can run again.

    study = STUDIES["heads"]
    for progress in study.run("h = 2", seed=0): ...
    shipped("heads")["h = 2"]["P object"]     # one number a seed

study          what a study is, and where its results lie
role_studies   notebook 03: who did what
repeat_studies, sixteen_heads_studies
               notebook 08: repeat what you have seen
"""

from helpers.learn.repeat_studies import REPEAT_STUDIES
from helpers.learn.role_studies import ROLE_STUDIES
from helpers.learn.sixteen_heads_studies import SIXTEEN_HEADS_STUDIES
from helpers.learn.study import SECONDS, Plan, Study, shipped, training_by

__all__ = ["SECONDS", "STUDIES", "Plan", "Study", "shipped", "training_by"]

STUDIES = {**ROLE_STUDIES, **REPEAT_STUDIES, **SIXTEEN_HEADS_STUDIES}
