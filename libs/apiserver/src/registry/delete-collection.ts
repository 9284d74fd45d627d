import { deepClone, isStatusError } from '@apichain/meta';
import type { StoredList } from '@apichain/storage';
import type { RequestContext } from '@apichain/request';
import { deleteObject, warnOfDeletion } from './delete-object.ts';
import type { DeleteValidation, ListOptions } from './rest.ts';
import type { RegistryStore } from './store.ts';
import type { GracefulDeleteOptions } from './strategy.ts';

const pageSize = 10_000;

/**
 * Deletes the objects of a list one after the other, and returns that list. `readPage` lists the selected objects. Objects that were deleted concurrently
 * are skipped. After Store.DeleteCollection of k8s.io/apiserver/pkg/registry/generic/registry.
 */
export async function deleteCollection(
  store: RegistryStore,
  ctx: RequestContext,
  options: GracefulDeleteOptions,
  list: ListOptions,
  readPage: (list: ListOptions) => Promise<StoredList>,
  validate?: DeleteValidation,
): Promise<StoredList> {
  warnOfDeletion(store, ctx, options);
  const deleteAll = async ({ items }: StoredList): Promise<void> => {
    for (const item of items) {
      ctx.signal.throwIfAborted();
      const itemContext = inNamespace(ctx, item.attributes.namespace);
      try {
        await deleteObject(store, itemContext, item.attributes.name, deepClone(options), validate);
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error;
      }
    }
  };
  // A list without a limit is read in pages. With a limit, the given resourceVersion is matched exactly.
  let page = await readPage(list.limit > 0 ? list : { ...list, limit: pageSize });
  await deleteAll(page);
  if (list.limit > 0) return page;
  const { revision } = page;
  const items = [...page.items];
  while (page.continue !== undefined) {
    page = await readPage({ ...nextPage(list), continue: page.continue });
    await deleteAll(page);
    items.push(...page.items);
  }
  return { items, revision };
}

const nextPage = (list: ListOptions): ListOptions => ({
  ...list,
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: pageSize,
});

/** The request context for one object of the collection. */
function inNamespace(ctx: RequestContext, namespace: string): RequestContext {
  if (namespace === '' || namespace === ctx.requestInfo.namespace) return ctx;
  const requestInfo = { ...ctx.requestInfo, namespace };
  return {
    requestInfo,
    query: ctx.query,
    user: ctx.user,
    get signal() {
      return ctx.signal;
    },
    deadline: ctx.deadline,
    userAgent: ctx.userAgent,
    warn: (text) => ctx.warn(text),
  };
}
