import { maskedSecret } from '@apichain/kinds/model';
import { compareText, deepClone, type KubeObject } from '@apichain/meta';
import { asManifest } from './assigned-fields.ts';
import { type BackupObjects, type StoredEntry, UnreadableError } from './backup-objects.ts';
import { isMadeAgain, isMadeByCluster } from './own-objects.ts';
import type { ChosenObjects } from './selection.ts';
import { resourceName, type StoredPlace } from './stored-resources.ts';

/** Which objects are exported, and how. */
interface ExportOptions {
  readonly chosen: ChosenObjects;
  /** Whether an object is chosen by what is in it, e.g. its labels. */
  readonly matches?: (object: KubeObject) => boolean;
  /** Whether Secrets have their values. Default: they are masked. */
  readonly showSecrets?: boolean;
}

/** An exported object, or why one cannot be read. */
type Exported =
  | { readonly place: StoredPlace; readonly manifest: KubeObject; readonly masked: boolean }
  | { readonly place: StoredPlace; readonly unreadable: string };

/** What other objects need comes first. */
const first: readonly string[] = [
  'namespaces',
  'customresourcedefinitions.apiextensions.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'storageclasses.storage.k8s.io',
  'serviceaccounts',
  'secrets',
  'configmaps',
  'persistentvolumes',
  'persistentvolumeclaims',
  'clusterroles.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
];
/** Webhooks and policies would judge what is applied after them. */
const last: readonly string[] = [
  'apiservices.apiregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
];

function rankOf({ resource }: StoredPlace): number {
  const name = resourceName(resource);
  const early = first.indexOf(name);
  if (early >= 0) return early;
  return first.length + (resource.custom ? 1 : 0) + 2 * (last.indexOf(name) + 1);
}

function inOrder(entries: Iterable<StoredEntry>): StoredEntry[] {
  const textOf = ({ resource, namespace, name }: StoredPlace) => [resourceName(resource), namespace, name].join('\0');
  return [...entries]
    .map((entry) => ({ entry, rank: rankOf(entry.place), order: textOf(entry.place) }))
    .sort((a, b) => a.rank - b.rank || compareText(a.order, b.order))
    .map(({ entry }) => entry);
}

/**
 * The chosen objects as manifests, in an order in which they can be applied. Unless resources were named, objects that a cluster or a controller makes
 * by itself are left out.
 */
export async function* exportObjects(backup: BackupObjects, options: ExportOptions): AsyncGenerator<Exported> {
  const { chosen, matches = () => true, showSecrets = false } = options;
  const isWanted = ({ place }: StoredEntry) =>
    chosen.includes(place) && (chosen.namesResources || !isMadeByCluster(place));
  for (const entry of inOrder([...backup.entries.values()].filter(isWanted))) {
    const { place } = entry;
    const object = await readObject(backup, entry);
    if (typeof object === 'string') {
      yield { place, unreadable: object };
      continue;
    }
    if (!matches(object) || (!chosen.namesResources && isMadeAgain(object))) continue;
    const masked = !showSecrets && place.resource.group === '' && place.resource.resource === 'secrets';
    const manifest = asManifest(deepClone(object), place.resource.group);
    yield { place, manifest: masked ? maskedSecret(manifest) : manifest, masked };
  }
}

/** The object, or why it cannot be read. */
async function readObject(backup: BackupObjects, entry: StoredEntry): Promise<KubeObject | string> {
  try {
    return await backup.object(entry);
  } catch (error) {
    if (error instanceof UnreadableError) return error.message;
    throw error;
  }
}
