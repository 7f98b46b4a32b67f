"""read_spack.py PACKAGE [~VARIANT] - runs a Spack recipe with stand-ins for Spack's directives, and prints those that hold.

It is a reading, no Spack: a name that the recipe uses and Spack does not have here is an error, as is Python that does not run; whether
Spack can solve for it is another matter."""
import sys
import types

off = {argument[1:] for argument in sys.argv[2:] if argument.startswith("~")}
lines = []


def holds(when):
    return not any("+" + variant in when for variant in off)


def directive(name):
    def take(*arguments, when="", **options):
        assert set(options) <= {"type", "default", "description", "sha256"}, f"{name} has no option like {options}"
        if holds(when):
            lines.append(" ".join([name, *map(str, arguments)]))

    return take


class CMakePackage:
    @staticmethod
    def define(name, value):
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}"

    @classmethod
    def define_from_variant(cls, name, variant):
        assert any(line.startswith(f"variant {variant}") for line in lines), f"there is no variant {variant}"
        return cls.define(name, variant not in off)


names = {name: directive(name) for name in ("version", "variant", "depends_on", "license", "generator", "conflicts")}
stand_in = types.ModuleType("spack.package")
systems = types.ModuleType("spack_repo.builtin.build_systems.cmake")
systems.CMakePackage = CMakePackage
systems.generator = names.pop("generator")
stand_in.__dict__.update(names)
for path in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    sys.modules[path] = types.ModuleType(path)
sys.modules["spack.package"] = stand_in
sys.modules["spack_repo.builtin.build_systems.cmake"] = systems
with open(sys.argv[1]) as file:
    scope = {}
    exec(compile(file.read(), sys.argv[1], "exec"), scope)
print("\n".join(lines))
print("\n".join(scope["Warpsweep"]().cmake_args()))
