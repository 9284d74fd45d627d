import { isHistoryLost, type KubeObject } from '@apichain/meta';
import type { ObjectList, Query } from './rest-client.ts';

/** Objects of a list, with their types, and the revision of the list. */
export interface ListPage {
  readonly objects: readonly KubeObject[];
  readonly resourceVersion: string;
}

/** Reads a page: the query has its limit and its token. `onSize` must be called with its size in bytes. */
export type ReadPage = (query: Query, onSize: (bytes: number) => void) => Promise<ObjectList>;

/** The number of objects of the first page. Objects may be large: the metadata of one up to 1.5 MB. */
const firstPage = 20;
/** The most objects of a page. */
const largestPage = 500;
/** How large pages should be in bytes. The objects that are made of them take several times as much. */
const pageBytes = 8 * 1024 * 1024;

/**
 * The pages of a list, of one revision, each of about 8 MiB. Throws the error of `readPage`: a 410 when the revision has been compacted before the last page.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
export async function* listPages(readPage: ReadPage): AsyncGenerator<ListPage> {
  let query: Query | undefined = { limit: firstPage };
  while (query !== undefined) {
    let size = 0;
    const list = await readPage(query, (bytes) => (size = bytes));
    yield typedPage(list);
    const { continue: next = '' } = list.metadata;
    query = next === '' ? undefined : { limit: pageOf(list.items.length, size), continue: next };
  }
}

/**
 * Everything, from pages; at once and of a later revision when that of the pages has been compacted. Follows the ListPager of client-go. Throws the error of
 * `readPage`.
 */
export async function listInPages(readPage: ReadPage): Promise<ListPage> {
  const objects: KubeObject[] = [];
  let revision = '';
  try {
    for await (const page of listPages(readPage)) {
      objects.push(...page.objects);
      revision = page.resourceVersion;
    }
  } catch (error) {
    if (!isHistoryLost(error)) throw error;
    return typedPage(await readPage({}, () => undefined));
  }
  return { objects, resourceVersion: revision };
}

/** The items of a list do not have its type. */
function typedPage({ apiVersion, kind, metadata, items }: ObjectList): ListPage {
  const type = { apiVersion, kind: kind.replace(/List$/, '') };
  return { objects: items.map((item) => ({ ...item, ...type })), resourceVersion: metadata.resourceVersion ?? '' };
}

/** How many objects the next page has when a page of so many had this size in bytes. */
const pageOf = (objects: number, size: number): number =>
  Math.max(1, Math.min(largestPage, Math.floor((objects * pageBytes) / Math.max(1, size))));
