import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { hasErrorCode, lazy } from '@apichain/meta';
import { schemeVersions } from './known-kinds.ts';
import {
  documentationFolders,
  extractDocumentation,
  type DocumentationFolder,
  type GroupVersionDocumentation,
  type TypeDocumentation,
} from './documentation/extract.ts';

const nothing: GroupVersionDocumentation = {};
/**
 * Weak references: texts are needed only for the first Table of a kind and for OpenAPI documents, which are cached; they are read again on demand.
 */
const read = new Map<string, WeakRef<GroupVersionDocumentation>>();

/** The folder of an installed package; undefined where it is not installed, as in production, where the bundle contains the files. */
export function documentationPackage(name: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, import.meta.url);
    return manifest === undefined ? undefined : dirname(manifest);
  } catch (error) {
    if (hasErrorCode(error, 'ERR_MODULE_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** The folders of the packages with the documentation. Empty where they are not installed; descriptions are empty then, and nothing fails. */
export function installedDocumentation(): DocumentationFolder[] {
  const models = documentationPackage('kubernetes-models');
  const apimachinery = documentationPackage('@kubernetes-models/apimachinery');
  return models === undefined || apimachinery === undefined ? [] : documentationFolders(models, apimachinery);
}

const installedFolders = lazy(
  (): ReadonlyMap<string, string> =>
    new Map(installedDocumentation().map((entry) => [entry.groupVersion, entry.folder])),
);

/** Reads the file beside the bundle's modules, else the installed packages; there is no such file beside the sources in the repository. */
function load(groupVersion: string): GroupVersionDocumentation {
  try {
    const file = readFileSync(new URL(`./documentation/${groupVersion}.json`, import.meta.url), 'utf8');
    return JSON.parse(file) as GroupVersionDocumentation;
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
  const folder = installedFolders().get(groupVersion);
  return folder === undefined ? nothing : extractDocumentation(folder);
}

function documentationOf(groupVersion: string): GroupVersionDocumentation {
  const known = read.get(groupVersion)?.deref();
  if (known !== undefined) return known;
  const loaded = load(groupVersion);
  read.set(groupVersion, new WeakRef(loaded));
  return loaded;
}

/** Kinds get these two fields from TypeMeta, as this type does. */
const ofEveryKind: ReadonlySet<string> = new Set(['apiVersion', 'kind']);
const withTypeMeta = 'meta.v1.DeleteOptions';

/** The packages omit versions that are off by default; the texts of v1 are the same, or almost. */
const early = /(?<=\.)v\d+(?:alpha|beta)\d+$/;

function typeDocumentation(typeName: string): TypeDocumentation | undefined {
  const dot = typeName.lastIndexOf('.');
  const [groupVersion, name] = [typeName.slice(0, dot), typeName.slice(dot + 1)];
  const found = documentationOf(groupVersion)[name];
  return found ?? (early.test(groupVersion) ? documentationOf(groupVersion.replace(early, 'v1'))[name] : undefined);
}

/** The group-versions of built-in types in OpenAPI documents, and their descriptions, by their names in the type tables; '' where there is none. */
export const builtinDocumentation = {
  groupVersions: schemeVersions,
  type: (typeName: string): string => typeDocumentation(typeName)?.[0] ?? '',
  field: (typeName: string, field: string): string => {
    const text = typeDocumentation(typeName)?.[1][field];
    if (text !== undefined) return text;
    return ofEveryKind.has(field) && typeName !== withTypeMeta ? builtinDocumentation.field(withTypeMeta, field) : '';
  },
};

const enumValues = /(?:^|\n\n)Possible enum values:[^]*$/;

/** The description of a field (`core.v1.PodStatus.podIP`) in kube-apiserver's printers: the OpenAPI text without the list of enum values. */
export function fieldDescription(path: string): string {
  const dot = path.lastIndexOf('.');
  return builtinDocumentation.field(path.slice(0, dot), path.slice(dot + 1)).replace(enumValues, '');
}
