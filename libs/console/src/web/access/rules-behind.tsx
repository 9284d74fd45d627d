import { getJson, isForbidden } from '../api/api.ts';
import { findKind, pathOf, type Kind } from '../api/kinds.ts';
import { drafts } from '../object/drafts.ts';
import { keyOfNew } from '../object/object-view.tsx';
import { Table, useLoaded } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { go, linkTo } from '../shell/routes.ts';
import { bindingOf, grantsOf, offersOf, type Asker, type Attributes, type Policy, type Rule } from './rbac.ts';

interface Props {
  readonly kinds: readonly Kind[];
  readonly asker: Asker;
  readonly asked: Attributes;
  readonly isAllowed: boolean;
}

const group = 'rbac.authorization.k8s.io';
const mostOffers = 8;

/** The rules of RBAC that allow what was asked, and where none does, those that would. */
export function RulesBehind({ kinds, asker, asked, isAllowed }: Props) {
  const { value, error } = useLoaded(() => policyFor(kinds, asked.namespace), [asked.namespace, kinds.length]);
  if (isForbidden(error))
    return <p class="note-box">You may not read roles and bindings, so the rules are not shown.</p>;
  if (error !== undefined) return <Refusal error={error} />;
  if (value === undefined) return null;
  const grants = grantsOf(value, asker, asked);
  if (grants.length > 0)
    return (
      <section aria-label="Rules that allow it">
        <h3>Rules that allow it</h3>
        <Table columns={['Binding', 'Role', 'Rule']}>
          {grants.map(({ binding, bindingKind, role, roleKind, rule }) => (
            <tr key={`${bindingKind}/${binding.metadata.name}`}>
              <td>
                <RbacLink kinds={kinds} kind={bindingKind} object={binding} />
              </td>
              <td>
                <RbacLink kinds={kinds} kind={roleKind} object={role} />
              </td>
              <td class="wrap">{ruleText(rule)}</td>
            </tr>
          ))}
        </Table>
      </section>
    );
  // An authorizer besides RBAC has allowed it, such as that of the group system:masters.
  if (isAllowed) return <p class="quiet">No rule of RBAC allows it; another authorizer does.</p>;
  const offers = offersOf(value, asked);
  const bind = (offer: (typeof offers)[number]) => {
    const isInNamespace = asked.path === '' && asked.namespace !== '';
    const kind = findKind(kinds, group, isInNamespace ? 'rolebindings' : 'clusterrolebindings');
    if (kind === undefined) return;
    const href = linkTo.create(kind, asked.namespace);
    const text = bindingOf(offer, asker, asked);
    drafts.set(keyOfNew(kind), { text, href, base: undefined, since: Date.now(), title: `new ${kind.kind}` });
    go(href);
  };
  return (
    <section aria-label="Rules that would allow it">
      <h3>Rules that would allow it, if they were bound</h3>
      {offers.length === 0 && <p class="quiet">No role has such a rule.</p>}
      {offers.length > 0 && (
        <Table columns={['Role', 'Rule', 'Grant it']}>
          {offers.slice(0, mostOffers).map((offer) => (
            <tr key={`${offer.roleKind}/${offer.role.metadata.name}`}>
              <td>
                <RbacLink kinds={kinds} kind={offer.roleKind} object={offer.role} />
              </td>
              <td class="wrap">{ruleText(offer.rule)}</td>
              <td>
                <button type="button" class="plain" onClick={() => bind(offer)}>
                  Write a binding
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

interface List<Item> {
  readonly items?: readonly Item[];
}

async function policyFor(kinds: readonly Kind[], namespace: string): Promise<Policy> {
  const listOf = async <Item,>(resource: string, of = ''): Promise<readonly Item[]> => {
    const kind = findKind(kinds, group, resource);
    return kind === undefined ? [] : ((await getJson<List<Item>>(pathOf(kind, of))).items ?? []);
  };
  const [clusterRoles, clusterRoleBindings, roles, roleBindings] = await Promise.all([
    listOf<Policy['clusterRoles'][number]>('clusterroles'),
    listOf<Policy['clusterRoleBindings'][number]>('clusterrolebindings'),
    namespace === '' ? [] : listOf<Policy['roles'][number]>('roles', namespace),
    namespace === '' ? [] : listOf<Policy['roleBindings'][number]>('rolebindings', namespace),
  ]);
  return { clusterRoles, clusterRoleBindings, roles, roleBindings };
}

interface RbacLinkProps {
  readonly kinds: readonly Kind[];
  readonly kind: string;
  readonly object: { readonly metadata: { readonly name: string; readonly namespace?: string } };
}

function RbacLink({ kinds, kind, object: { metadata } }: RbacLinkProps) {
  const served = findKind(kinds, group, `${kind.toLowerCase()}s`);
  const shown = `${kind} ${metadata.name}`;
  return served === undefined ? (
    shown
  ) : (
    <a href={linkTo.object(served, metadata.namespace ?? '', metadata.name)}>{shown}</a>
  );
}

function ruleText({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: Rule): string {
  const what = nonResourceURLs.length > 0 ? nonResourceURLs.join(', ') : resources.join(', ');
  const of = nonResourceURLs.length > 0 ? '' : ` of ${apiGroups.map((one) => (one === '' ? 'core' : one)).join(', ')}`;
  return `${verbs.join(', ')} ${what}${of}${resourceNames.length === 0 ? '' : ` named ${resourceNames.join(', ')}`}`;
}
