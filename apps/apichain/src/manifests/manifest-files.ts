import { existsSync, readFileSync } from 'node:fs';
import { manifestFiles } from '@apichain/client/manifests';
import {
  documentsOf,
  errorMessage,
  formatGroupKind,
  objectsOfDocument,
  parseGroupVersion,
  stringifyJson,
  type KubeObject,
} from '@apichain/meta';

/** An object of a manifest. */
export interface ManifestObject {
  readonly object: KubeObject;
  /** Where it stands, for messages: `manifests/web.yaml, document 2`. */
  readonly source: string;
  /** Group, kind, namespace and name. */
  readonly key: string;
  /** Its content. Equal texts are equal objects. */
  readonly text: string;
}

/** What stands in the manifests at one time. */
export interface ManifestContents {
  readonly objects: readonly ManifestObject[];
  /** A line for each file or document that is no manifest. */
  readonly problems: readonly string[];
}

interface ReadFile {
  readonly text: string;
  readonly contents: ManifestContents;
}

/** The manifests of files and folders. A file whose text has not changed is not parsed again. */
export class ManifestFiles {
  readonly #paths: readonly string[];
  readonly #recursive: boolean;
  #read = new Map<string, ReadFile>();

  constructor(paths: readonly string[], recursive: boolean) {
    this.#paths = paths;
    this.#recursive = recursive;
  }

  /** With `needsFiles` a folder without manifests is a problem. */
  read(needsFiles: boolean): ManifestContents {
    const before = this.#read;
    this.#read = new Map();
    const problems: string[] = [];
    const objects = new Map<string, ManifestObject>();
    for (const file of this.#files(problems, needsFiles)) {
      const contents = this.#contentsOf(file, before.get(file));
      problems.push(...contents.problems);
      for (const each of contents.objects) {
        const former = objects.get(each.key);
        if (former === undefined) objects.set(each.key, each);
        else problems.push(`${each.source}: ${displayName(each.object)} is in ${former.source}, too`);
      }
    }
    return { objects: [...objects.values()], problems };
  }

  #files(problems: string[], needsFiles: boolean): ReadonlySet<string> {
    const files = this.#paths.flatMap((path) => {
      try {
        const found = manifestFiles(path, { recursive: this.#recursive });
        if (found.length > 0) return found;
        if (!existsSync(path)) problems.push(`${path}: no such file or folder`);
        else if (needsFiles) problems.push(`${path}: no manifest is in it (.yaml, .yml or .json)`);
      } catch (error) {
        problems.push(`${path}: ${errorMessage(error)}`);
      }
      return [];
    });
    return new Set(files);
  }

  #contentsOf(file: string, before: ReadFile | undefined): ManifestContents {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      return { objects: [], problems: [`${file}: ${errorMessage(error)}`] };
    }
    const read = before?.text === text ? before : { text, contents: parse(text, file) };
    this.#read.set(file, read);
    return read.contents;
  }
}

/** Documents are counted from 1, without empty ones. */
function parse(text: string, file: string): ManifestContents {
  const objects: ManifestObject[] = [];
  const problems: string[] = [];
  const documents = documentsOf(text).filter((document) => document.trim() !== '');
  for (const [index, document] of documents.entries()) {
    const source = documents.length === 1 ? file : `${file}, document ${index + 1}`;
    try {
      for (const object of objectsOfDocument(document, source))
        objects.push({ object, source, key: keyOf(object), text: stringifyJson(object) });
    } catch (error) {
      const message = oneLine(errorMessage(error));
      problems.push(message.startsWith(source) ? message : `${source}: ${message}`);
    }
  }
  return { objects, problems };
}

/** A message without line feeds. */
export const oneLine = (message: string): string =>
  message
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join(' ');

const keyOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
  [parseGroupVersion(apiVersion).group, kind, metadata.namespace ?? '', metadata.name ?? ''].join('/');

/** The name of an object as kubectl prints it: `deployment.apps/web`. */
export const displayName = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `${formatGroupKind({ ...parseGroupVersion(apiVersion), kind: kind.toLowerCase() })}/${metadata.name ?? ''}`;
