/** The relevant parts of a package in npm's lock file (version 3). Packages are keyed by their installation path. */
interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/**
 * The lock file for a manifest with a subset of another manifest's dependencies. It contains these dependencies and their transitive
 * dependencies, in the versions and at the paths of the other lock file. Throws Error when a dependency is missing there.
 * https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json
 */
export function lockedPackages<Lock extends LockFile>(
  lock: Lock,
  manifest: { readonly dependencies: Readonly<Record<string, string>> },
): Lock {
  const taken = new Map<string, LockedPackage>();
  const take = (name: string, from: string, isOptional: boolean) => {
    const path = installedPath(lock, name, from);
    const found = lock.packages[path];
    if (found === undefined) {
      if (isOptional) return;
      throw new Error(`${name}, which ${from === '' ? 'a program' : from} needs, is not in the lock file`);
    }
    if (taken.has(path)) return;
    taken.set(path, found);
    for (const dependency of Object.keys(found.dependencies ?? {})) take(dependency, path, false);
    for (const dependency of Object.keys({ ...found.optionalDependencies, ...found.peerDependencies }))
      take(dependency, path, true);
  };
  for (const name of Object.keys(manifest.dependencies)) take(name, '', false);
  const sorted = [...taken].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: { '': manifest, ...Object.fromEntries(sorted) } };
}

/** Resolves a package as Node does: in the folder of the importing package, otherwise in a folder above. */
function installedPath({ packages }: LockFile, name: string, from: string): string {
  for (let folder = from; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder}/node_modules/${name}`;
    if (path in packages) return path;
  }
  return `node_modules/${name}`;
}
