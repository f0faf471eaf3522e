"""Streams of joint samples that estimators are run on."""
