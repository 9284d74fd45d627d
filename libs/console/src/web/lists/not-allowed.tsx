import type { Kind } from '../api/kinds.ts';
import { namespaceOfUser } from '../api/session.ts';
import { replaceQuery } from '../shell/routes.ts';

/** In the place of a list that the user may not see as a whole: leads to a namespace, of which he may. */
export function NotAllowed({ kind, user }: { readonly kind: Kind; readonly user: string }) {
  const own = namespaceOfUser(user);
  return (
    <div class="note-box" role="status">
      <p>
        {user} may not list {kind.resource} in all namespaces. Choose a namespace above.{' '}
        {own !== '' && (
          <button type="button" class="plain" onClick={() => replaceQuery({ namespace: own })}>
            Show the namespace {own}
          </button>
        )}
      </p>
    </div>
  );
}
