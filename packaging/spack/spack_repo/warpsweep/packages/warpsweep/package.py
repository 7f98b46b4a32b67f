import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before Spack 1.0, spack.package has both
    pass


class Warpsweep(CMakePackage):
    """MPI-distributed sweeps of GPU kernels over parameter grids: every point is compiled, verified against
    a C reference, timed with confidence intervals, counted by the hardware and predicted by an access
    model; results land in one HDF5 file."""

    # The archive of the sources: cpack --config CPackSourceConfig.cmake makes it, in a clone's build folder. Its
    # checksum hangs on the commit: `spack checksum warpsweep` adds it, or `spack install --no-checksum`.
    url = "file://{0}/warpsweep-0.6.0.tar.gz".format(os.getcwd())
    manual_download = True

    license("MIT")

    version("0.6.0")

    variant("cuda", default=True, description="Build the cuda back end; without it, the host's")
    variant("figures", default=True, description="gnuplot, which draws the figures")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("openmpi@4.1:")
    depends_on("hdf5@1.10.3:~mpi")
    depends_on("libyaml")
    depends_on("zlib-api")
    depends_on("hwloc@2:")
    depends_on("cuda@12.8:", when="+cuda")
    depends_on("gnuplot+cairo", type="run", when="+figures")
    depends_on("python@3.9:", type="run")
    for package in ("py-h5py@3.7:", "py-numpy@1.24:", "py-pandas@1.5:", "py-scipy", "py-jinja2"):
        depends_on(package, type="run")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("WARPSWEEP_WERROR", False),
            self.define_from_variant("WARPSWEEP_WITH_CUDA", "cuda"),
        ]

    def setup_build_environment(self, env):
        if self.spec.satisfies("+cuda"):
            env.set("CUDA_HOME", self.spec["cuda"].prefix)
