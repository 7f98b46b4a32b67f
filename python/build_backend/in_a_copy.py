"""The build backend: setuptools in a copy of this folder, because it writes beside what it reads.

So pip installs from a clone that it cannot write, and leaves nothing in one that it can. Links are followed: VERSION, LICENSE
and src/warpsweep/data are those of the whole tree. An editable install builds in place.
"""
import contextlib
import os
import pathlib
import shutil
import tempfile

from setuptools import build_meta

build_editable = build_meta.build_editable
get_requires_for_build_editable = build_meta.get_requires_for_build_editable
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable


@contextlib.contextmanager
def _copy():
    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for here, folders, files in os.walk(before, followlinks=True):
            folders[:] = [name for name in folders if name not in ("build", "__pycache__")]
            copied = folder / pathlib.Path(here).relative_to(before)
            copied.mkdir(parents=True, exist_ok=True)
            for name in files:
                shutil.copyfile(os.path.join(here, name), copied / name)  # without the mode, which may be read-only
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel_directory = os.path.abspath(wheel_directory)
    with _copy():
        return build_meta.build_wheel(wheel_directory, config_settings)


def build_sdist(sdist_directory, config_settings=None):
    sdist_directory = os.path.abspath(sdist_directory)
    with _copy():
        return build_meta.build_sdist(sdist_directory, config_settings)
