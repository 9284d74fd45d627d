import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../api/api.ts';
import { findKind, pathOf, type Kind } from '../api/kinds.ts';
import { poll } from '../api/while-visible.ts';

/** An APIService or a definition whose resources cannot be used. */
export interface UnavailableApi {
  readonly name: string;
  readonly isDefinition: boolean;
  readonly why: string;
}

interface List {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status?: {
      readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    };
  }[];
}

const pollMs = 10_000;

/** What is not available, read again now and then. Empty for those who may not list it: they get no errors for what others have to do. */
export function useUnavailableApis(kinds: readonly Kind[]): readonly UnavailableApi[] {
  const [found, setFound] = useState<readonly UnavailableApi[]>([]);
  const services = findKind(kinds, 'apiregistration.k8s.io', 'apiservices');
  const definitions = findKind(kinds, 'apiextensions.k8s.io', 'customresourcedefinitions');
  useEffect(() => {
    const load = async () => {
      const lists = await Promise.allSettled([
        services === undefined ? [] : unavailable(services, 'Available', false),
        definitions === undefined ? [] : unavailable(definitions, 'Established', true),
      ]);
      setFound(lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])));
    };
    return poll(() => void load(), pollMs);
  }, [services === undefined, definitions === undefined]);
  return found;
}

async function unavailable(kind: Kind, condition: string, isDefinition: boolean): Promise<UnavailableApi[]> {
  const { items } = await getJson<List>(pathOf(kind));
  return items.flatMap(({ metadata: { name }, status }) => {
    const found = status?.conditions?.find(({ type }) => type === condition);
    return found?.status === 'True' ? [] : [{ name, isDefinition, why: found?.message ?? 'not yet' }];
  });
}
