//! Files that replace their target only when they are complete.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail, ensure};
use tempfile::{Builder, NamedTempFile};

/// A file being written beside its target, in the same folder.
///
/// [`commit`](Self::commit) renames it over the target; dropped before that it
/// is deleted and the target stays as it was. A target that is no regular file
/// (`/dev/null`, a pipe) is written directly.
pub(crate) struct Staged {
    target: PathBuf,
    file: Sink,
}

enum Sink {
    Beside(NamedTempFile),
    Direct(File),
}

impl Staged {
    /// Creates a file beside `target`.
    pub(crate) fn beside(target: &Path) -> Result<Self> {
        Self::open(target).with_context(|| target.display().to_string())
    }

    fn open(target: &Path) -> Result<Self> {
        // A symbolic link stays one: what it points to is replaced.
        let resolved = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        let existing = match std::fs::metadata(&resolved) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        ensure!(!existing.as_ref().is_some_and(|it| it.is_dir()), "is a folder, expected a file");
        if existing.as_ref().is_some_and(|it| !it.is_file()) {
            let file = OpenOptions::new().write(true).open(&resolved)?;
            return Ok(Self { target: resolved, file: Sink::Direct(file) });
        }
        let folder = match resolved.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        ensure!(resolved.file_name().is_some(), "names no file");
        let mut builder = Builder::new();
        builder.prefix(".lanedrop-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file, less what the umask takes.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(folder)
            .with_context(|| format!("cannot create a file in {}", folder.display()))?;
        if let Some(existing) = existing {
            file.as_file().set_permissions(existing.permissions())?;
        }
        Ok(Self { target: resolved, file: Sink::Beside(file) })
    }

    /// Returns the file to write to.
    pub(crate) fn file(&mut self) -> &mut File {
        match &mut self.file {
            Sink::Beside(file) => file.as_file_mut(),
            Sink::Direct(file) => file,
        }
    }

    /// Writes at an offset of the file.
    pub(crate) fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let file = self.file();
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.write_all(bytes)).with_context(|| {
            // The target, as the file beside it is gone when this is read.
            self.target.display().to_string()
        })
    }

    /// Writes at the end of what was written.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file().write_all(bytes);
        written.with_context(|| self.target.display().to_string())
    }

    /// Puts the file in its target's place.
    pub(crate) fn commit(self) -> Result<()> {
        match self.file {
            Sink::Direct(_) => Ok(()),
            Sink::Beside(file) => match file.persist(&self.target) {
                Ok(_) => Ok(()),
                Err(error) => Err(error.error).with_context(|| self.target.display().to_string()),
            },
        }
    }
}

/// Refuses two options that name one file.
pub(crate) fn distinct(named: &[(&str, Option<&Path>)]) -> Result<()> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for &(option, path) in named {
        let Some(path) = path else { continue };
        let place = place(path);
        if let Some((other, _)) = seen.iter().find(|(_, seen)| *seen == place) {
            bail!("{other} and {option} both name {}", path.display());
        }
        // Any number of results may go to /dev/null.
        if place.is_file() || !place.exists() {
            seen.push((option, place));
        }
    }
    Ok(())
}

/// Refuses an output that would replace a file that is read.
///
/// `-o` may name the tensor and `--save-state` the state it started from:
/// `replaces` has those pairs.
pub(crate) fn apart(
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, Option<&Path>)],
    replaces: &[(&str, &str)],
) -> Result<()> {
    for &(input, read) in inputs {
        for &(output, written) in outputs {
            let (Some(read), Some(written)) = (read, written) else { continue };
            if place(read).is_file()
                && same_file(read, written)
                && !replaces.contains(&(input, output))
            {
                bail!("{input} and {output} both name {}", written.display());
            }
        }
    }
    Ok(())
}

/// Returns whether two paths lead to one file.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    place(a) == place(b)
}

/// Returns a file's place with links and dots resolved, whether or not it exists.
fn place(path: &Path) -> PathBuf {
    if let Ok(place) = path.canonicalize() {
        return place;
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Interrupts (Ctrl-C, a polite kill) as a flag that is looked at between
/// blocks, so that no file is left behind.
pub(crate) struct Interrupts {
    seen: Arc<AtomicBool>,
}

impl Interrupts {
    /// Takes over the signals.
    pub(crate) fn watch() -> Self {
        let seen = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // A system without the signal has nothing to watch. A second one
            // ends the command at once.
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 2, Arc::clone(&seen));
            let _ = signal_hook::flag::register(signal, Arc::clone(&seen));
        }
        Self { seen }
    }

    /// Fails once a signal has come.
    pub(crate) fn check(&self) -> Result<()> {
        ensure!(!self.seen.load(Ordering::Relaxed), "interrupted; nothing was replaced");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_replaces_its_target_only_when_complete() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.npy");
        std::fs::write(&target, "old").unwrap();
        let mut staged = Staged::beside(&target).unwrap();
        staged.write(b"new").unwrap();
        drop(staged);
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        let mut staged = Staged::beside(&target).unwrap();
        staged.write(b"n--").unwrap();
        staged.write_at(1, b"ew").unwrap();
        staged.commit().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_options_may_not_name_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("a.npy");
        let same = folder.path().join(".").join("a.npy");
        let said =
            distinct(&[("-o", Some(&name)), ("--mask", None), ("--packed-mask", Some(&same))]);
        assert!(said.unwrap_err().to_string().starts_with("-o and --packed-mask both name"));
        let other = folder.path().join("b.npy");
        assert!(distinct(&[("-o", Some(&name)), ("--mask", Some(&other))]).is_ok());
    }
}
