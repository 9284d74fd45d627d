import { readFileSync } from 'node:fs';
import { manifestFiles } from '@apichain/client/manifests';
import { objectsIn, objectsOfManifest, type KubeObject } from '@apichain/meta';

/** A file, a folder, a glob pattern, YAML or JSON text (recognised by line feeds or braces), or an object. */
export type Manifest = string | object;

/** An object of a manifest, and the file that it comes from. */
export interface SourcedObject {
  readonly object: KubeObject;
  /** Undefined for objects and texts of the test itself. */
  readonly file?: string;
}

/**
 * Returns all objects of the manifests, in order. A List is replaced by its items. Throws Error with the name of the source when it cannot
 * be read, is not a Kubernetes object, or is a pattern without a matching file.
 */
export function readManifests(manifests: readonly Manifest[]): SourcedObject[] {
  return manifests.flatMap((manifest): SourcedObject[] => {
    if (typeof manifest !== 'string') return sourced(objectsIn(structuredClone(manifest), 'manifest'));
    if (manifest.includes('\n') || manifest.trimStart().startsWith('{'))
      return sourced(objectsOfManifest(manifest, 'manifest'));
    return filesOf(manifest).flatMap((file) => sourced(objectsOfManifest(readFileSync(file, 'utf8'), file), file));
  });
}

/** The options of a chain that name its first objects. */
interface InitialManifests {
  readonly crds?: readonly Manifest[];
  readonly manifests?: readonly Manifest[];
  readonly webhooks?: { readonly configurations?: readonly Manifest[] };
}

/** The objects of the options of a chain. Throws Error as `readManifests` does. */
export const initialObjects = ({ crds = [], webhooks, manifests = [] }: InitialManifests) => ({
  crds: readManifests(crds),
  webhooks: readManifests(webhooks?.configurations ?? []),
  manifests: readManifests(manifests),
});

const sourced = (objects: readonly KubeObject[], file?: string): SourcedObject[] =>
  objects.map((object) => (file === undefined ? { object } : { object, file }));

function filesOf(pattern: string): string[] {
  const files = manifestFiles(pattern);
  if (files.length === 0) throw new Error(`manifest ${pattern}: no such file`);
  return files;
}
