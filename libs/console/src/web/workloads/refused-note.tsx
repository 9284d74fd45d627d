import { namespaceOfUser } from '../api/session.ts';
import { replaceQuery } from '../shell/routes.ts';
import type { SourceState } from './following.ts';
import type { ShownResource } from './live-objects.ts';
import type { ShownKinds } from './use-live-objects.ts';

interface RefusedProps {
  readonly kinds: ShownKinds;
  readonly states: ReadonlyMap<ShownResource, SourceState>;
  readonly namespace: string;
  readonly user: string;
}

/** Says in one note what the user may not list, with the words of the server below it. */
export function Refused({ kinds, states, namespace, user }: RefusedProps) {
  const refused = [...states].filter(([, { state }]) => state === 'refused');
  if (refused.length === 0) return null;
  const ofScope = (isOfCluster: boolean) =>
    refused
      .map(([resource]) => kinds[resource])
      .flatMap((kind) => (kind !== undefined && kind.namespaced !== isOfCluster ? [kind.kind] : []))
      .join(', ');
  const [ofCluster, others] = [ofScope(true), ofScope(false)];
  const scope = namespace === '' ? 'in all namespaces' : `in ${namespace}`;
  const own = namespaceOfUser(user);
  const said = [ofCluster, others === '' ? '' : `${others} ${scope}`].filter((part) => part !== '').join(', and ');
  return (
    <div class="note-box">
      <p>
        Not shown, because {user} may not list it: {said}.{' '}
        {namespace === '' &&
          others !== '' &&
          (own === '' ? (
            'Choose a namespace above.'
          ) : (
            <button type="button" class="plain" onClick={() => replaceQuery({ namespace: own })}>
              Show the namespace {own}
            </button>
          ))}
      </p>
      <details>
        <summary>What the server says</summary>
        <ul>
          {refused.map(([resource, { error }]) => (
            <li key={resource}>{error}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}
