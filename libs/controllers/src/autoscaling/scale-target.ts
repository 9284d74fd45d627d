import type { Scale } from '@apichain/api/autoscaling/v1';
import type { CrossVersionObjectReference } from '@apichain/api/autoscaling/v2';
import type { RestClient } from '@apichain/client';
import { isStatusError, parseGroupVersion } from '@apichain/meta';
import type { KnownKinds } from './known-kinds.ts';

const mostAttempts = 5;

/** The scale of a target, and the path that it was read from. */
export interface ScaleTarget {
  readonly scale: Scale;
  readonly path: string;
}

/** Reads the scale of a target. Throws StatusError, or Error for a kind that is not served. */
export async function readScale(
  client: RestClient,
  kinds: KnownKinds,
  namespace: string,
  { apiVersion = '', kind = '', name = '' }: CrossVersionObjectReference,
): Promise<ScaleTarget> {
  const { group } = parseGroupVersion(apiVersion);
  const found = await kinds.find(group, kind);
  if (found === undefined) {
    const groupText = group === '' ? '' : ` in group ${JSON.stringify(group)}`;
    throw new Error(`no matches for kind ${JSON.stringify(kind)}${groupText}`);
  }
  const { version, resource } = found;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const path = `${root}/namespaces/${namespace}/${resource}/${encodeURIComponent(name)}/scale`;
  try {
    return { scale: (await client.request('GET', path)) as Scale, path };
  } catch (error) {
    kinds.forget(group, kind);
    throw error;
  }
}

/** Sets the replicas of a target, again after conflicts. */
export async function writeScale(client: RestClient, { scale, path }: ScaleTarget, replicas: number): Promise<void> {
  let current = scale;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.request('PUT', path, {}, { ...current, spec: { ...current.spec, replicas } });
      return;
    } catch (error) {
      if (!isStatusError(error, 'Conflict') || attempt === mostAttempts) throw error;
      current = (await client.request('GET', path)) as Scale;
    }
  }
}
