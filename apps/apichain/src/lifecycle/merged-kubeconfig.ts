import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { StartupError, type Kubeconfig, writeWholeFile } from '@apichain/chain/setup';
import { errorMessage, isRecord, makeDirectory, parseYaml, stringifyYaml } from '@apichain/meta';
import { withFilesLocked } from './file-locks.ts';

/** The context of a chain without a name. */
export const defaultContext = 'apichain';

/** The lists of a kubeconfig that have entries with names. */
const lists = ['clusters', 'users', 'contexts'] as const;
type List = (typeof lists)[number];

/** A file of KUBECONFIG. */
interface KubeconfigFile {
  readonly path: string;
  readonly isThere: boolean;
  readonly document: Record<string, unknown>;
  isChanged: boolean;
}

/**
 * The absolute paths of kubeconfig files in the order of their precedence. `files` is a path, or several in the form of KUBECONFIG; empty: those that
 * kubectl uses.
 */
export function kubeconfigFiles(files: string, environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const named = (text: string) => text.split(delimiter).filter((path) => path !== '');
  const [given, usual] = [named(files), named(environment['KUBECONFIG'] ?? '')];
  const paths = given.length > 0 ? given : usual.length > 0 ? usual : ['~/.kube/config'];
  return [...new Set(paths.map(expand))];
}

/**
 * Adds the entries of a kubeconfig to files, as `kubectl config` does, and makes its context the current one. An entry whose name exists is replaced
 * where it is; a new one, and the current context, go to the first file that exists, otherwise to the last. Returns the path of the file with the
 * context. Throws StartupError when a file is not a kubeconfig.
 *
 * Source: ModifyConfig and PathOptions of k8s.io/client-go/tools/clientcmd/config.go
 */
export function mergeIntoFiles(paths: readonly string[], config: Kubeconfig): Promise<string> {
  return changed(paths, (files) => {
    const usual = files.find(({ isThere }) => isThere) ?? files.at(-1);
    if (usual === undefined) throw new StartupError('no kubeconfig file is named');
    let path = usual.path;
    for (const [list, entry] of entriesOf(config)) {
      const file = files.find((each) => namedEntry(each, list, entry.name) !== undefined) ?? usual;
      setEntries(file, list, [...without(file, list, entry.name), entry]);
      if (list === 'contexts') path = file.path;
    }
    const context = config['current-context'];
    if (contextOf(files.find(contextOf)) !== context) setContext(usual, context);
    return path;
  });
}

/** What `mergeIntoFiles` adds for a chain. */
export interface MergedEntries {
  readonly clusters: string;
  readonly users: string;
  readonly contexts: string;
  /** The URL of the cluster. */
  readonly server: string;
}

/** The names of the entries of a kubeconfig with one context. */
export function namesOf({ clusters, users, 'current-context': contexts }: Kubeconfig): MergedEntries {
  const [cluster] = clusters;
  return {
    clusters: cluster?.name ?? '',
    users: users[0]?.name ?? '',
    contexts,
    server: cluster?.cluster.server ?? '',
  };
}

/**
 * Removes what `mergeIntoFiles` added; a current context that no longer exists becomes empty. Nothing is removed when the cluster of that name is now
 * another one. Throws StartupError when a file is not a kubeconfig.
 */
export function removeFromFiles(paths: readonly string[], added: MergedEntries): Promise<void> {
  return changed(paths, (files) => {
    const holderOf = (list: List) => files.find((each) => namedEntry(each, list, added[list]) !== undefined);
    const holder = holderOf('clusters');
    const cluster = holder === undefined ? undefined : namedEntry(holder, 'clusters', added.clusters)?.['cluster'];
    if (isRecord(cluster) && cluster['server'] !== added.server) return;
    for (const list of lists) {
      const file = holderOf(list);
      if (file !== undefined) setEntries(file, list, without(file, list, added[list]));
    }
    const current = files.find(contextOf);
    if (current !== undefined && contextOf(current) === added.contexts) setContext(current, '');
  });
}

/** Lets `change` edit the documents of the files while no other program does, and writes those that it has changed. */
function changed<Result>(paths: readonly string[], change: (files: KubeconfigFile[]) => Result): Promise<Result> {
  return withFilesLocked(paths, () => {
    const files = paths.map(read);
    const result = change(files);
    for (const { path, isThere, document, isChanged } of files) {
      if (!isChanged) continue;
      makeDirectory(dirname(path));
      // A link stays one.
      writeWholeFile(isThere ? realpathSync(path) : path, stringifyYaml(document), 0o600);
    }
    return result;
  });
}

function read(path: string): KubeconfigFile {
  const empty = { apiVersion: 'v1', kind: 'Config' };
  if (!existsSync(path)) return { path, isThere: false, document: empty, isChanged: false };
  let value: unknown;
  try {
    value = parseYaml(readFileSync(path));
  } catch (error) {
    throw new StartupError(`${path} cannot be read as YAML: ${errorMessage(error).replaceAll('\n', ' ')}`);
  }
  if (value !== null && !isKubeconfig(value)) throw new StartupError(`${path} is not a kubeconfig`);
  return { path, isThere: true, document: { ...empty, ...value }, isChanged: false };
}

const isKubeconfig = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && lists.every((list) => Array.isArray(value[list] ?? []));

function* entriesOf(config: Kubeconfig): Generator<[List, { readonly name: string }]> {
  for (const list of lists) for (const entry of config[list]) yield [list, entry];
}

/** `read` has checked that it is a list. */
function entriesIn({ document }: KubeconfigFile, list: List): readonly unknown[] {
  const entries = document[list];
  return Array.isArray(entries) ? entries : [];
}

const isNamed = (entry: unknown, name: string): entry is Record<string, unknown> =>
  isRecord(entry) && entry['name'] === name;

const namedEntry = (file: KubeconfigFile, list: List, name: string): Record<string, unknown> | undefined =>
  entriesIn(file, list).find((entry) => isNamed(entry, name));

const without = (file: KubeconfigFile, list: List, name: string): unknown[] =>
  entriesIn(file, list).filter((entry) => !isNamed(entry, name));

function setEntries(file: KubeconfigFile, list: List, entries: readonly unknown[]): void {
  file.document[list] = entries;
  file.isChanged = true;
}

/** The current context that a file names; undefined if it names none. */
function contextOf(file: KubeconfigFile | undefined): string | undefined {
  const context = file?.document['current-context'];
  return typeof context === 'string' && context !== '' ? context : undefined;
}

function setContext(file: KubeconfigFile, context: string): void {
  file.document['current-context'] = context;
  file.isChanged = true;
}

const expand = (path: string) => resolve(path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);
