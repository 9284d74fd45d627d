import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { EtcdStorage, FirstObject } from '@apichain/apiserver';
import { currentTimestamp } from '@apichain/meta';

/*
 * Most of the objects that a server makes at its first start are the same in every cluster, but for their uids and times. A bundle has them at
 * hand, as the bootstrap hooks have made them in a chain that was started for it: an empty store gets them without the
 * some two hundred requests, all at the same time. The hooks then find what they look for. Without the file, and in a store that holds anything, they do it all.
 */

/** An object with marks in the place of its uid and times. */
export interface FirstObjectTemplate {
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

/** Of what depends on no address or certificate and on no flag but the service ranges; by what the key begins with. */
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

/** The templates in the contents of a store, whose keys come without the prefix. */
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

/** Where a bundle has them: see tools/package/first-objects.ts. */
const bundled = new URL('./generated/first-objects.json', import.meta.url);

/**
 * Writes the objects that every cluster begins with, one of them of the service ranges, into a store that is empty. Returns whether it did: not
 * where they are not at hand.
 */
export async function writeFirstObjects(
  storage: EtcdStorage,
  serviceCidrs: readonly string[],
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
  const objects = read().map(({ key, group, resource, text }): FirstObject => ({
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
