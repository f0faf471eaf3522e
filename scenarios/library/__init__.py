"""The scenarios, one file each.

Every module of this folder with a `SCENARIO` is one (`scenarios.library.scenario` says
what it holds); what several scenarios share is in `motions` and `loads`.
"""
