import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { EtcdStorage, FirstObject } from '@apichain/apiserver';
import type { ApiSet } from '@apichain/apiserver-options';
import { currentTimestamp } from '@apichain/meta';
import { systemNamespaces } from './system-namespaces.ts';

/*
 * Most objects that a server creates at its first start are the same in every cluster, except for their uids and times. A bundle contains them, as
 * the bootstrap hooks created them in a chain that was started for this purpose. They are written to an empty store at once, which saves some two
 * hundred requests. The hooks then find the objects. Without the bundled file, or when the store is not empty, the hooks create all objects.
 */

/** An object with placeholders for its uid and times. */
interface FirstObjectTemplate {
  readonly key: string;
  readonly group: string;
  readonly resource: string;
  readonly text: string;
}

const uidMark = '<uid>';
const timeMark = '<time>';
const cidrsMark = '"cidrs":"<cidrs>"';
const uid = /"uid":"[0-9a-f-]{36}"/g;
const time = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g;

const cidrs = /"cidrs":\[[^\]]*\]/;

/** The key prefixes of objects that depend on no address, no certificate, and no flag but the service ranges. */
const alike = [
  'namespaces',
  'clusterroles',
  'clusterrolebindings',
  'roles',
  'rolebindings',
  'priorityclasses',
  'prioritylevelconfigurations',
  'flowschemas',
  'servicecidrs',
  'apiregistration.k8s.io/apiservices',
] as const;

/** Converts the contents of a store to templates. The keys are without the prefix. */
export function templatesOf(contents: Iterable<readonly [key: string, value: string]>): FirstObjectTemplate[] {
  return [...contents].flatMap(([key, value]) => {
    const directory = alike.find((name) => key.startsWith(`/${name}/`));
    if (directory === undefined) return [];
    const { apiVersion } = JSON.parse(value) as { apiVersion: string };
    const text = value.replace(uid, `"uid":"${uidMark}"`).replace(time, `"${timeMark}"`).replace(cidrs, cidrsMark);
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return [{ key, group, resource: directory.slice(directory.indexOf('/') + 1), text }];
  });
}

/** The path of the bundled file: see tools/package/first-objects.ts. */
const bundled = new URL('./generated/first-objects.json', import.meta.url);

/** Whether a server of these built-in resources has the object at its first start. */
function belongsTo(apis: ApiSet, { key, group, resource }: FirstObjectTemplate): boolean {
  if (!apis.serves({ group, resource })) return false;
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (resource === 'namespaces') return systemNamespaces(apis).includes(name);
  // An APIService is named VERSION.GROUP.
  return resource !== 'apiservices' || apis.servesGroup(name.slice(name.indexOf('.') + 1));
}

/**
 * Writes the initial objects of every cluster, including the ServiceCIDR of the service ranges, into an empty store. Returns whether the objects
 * were written; false also when there is no bundled file.
 */
export async function writeFirstObjects(
  storage: EtcdStorage,
  serviceCidrs: readonly string[],
  apis: ApiSet,
  read: () => readonly FirstObjectTemplate[] = readBundled,
): Promise<boolean> {
  if (!(await storage.isEmpty())) return false;
  const now = currentTimestamp();
  const ranges = `"cidrs":${JSON.stringify(serviceCidrs)}`;
  const textOf = (text: string) =>
    text
      .replaceAll(timeMark, now)
      .replace(uidMark, () => randomUUID())
      .replace(cidrsMark, ranges);
  const templates = read().filter((template) => belongsTo(apis, template));
  const objects = templates.map(({ key, group, resource, text }): FirstObject => ({
    key,
    resource: { group, resource },
    value: Buffer.from(textOf(text)),
  }));
  await storage.writeFirst(objects);
  return objects.length > 0;
}

function readBundled(): readonly FirstObjectTemplate[] {
  if (!existsSync(bundled)) return [];
  return JSON.parse(readFileSync(bundled, 'utf8')) as FirstObjectTemplate[];
}
