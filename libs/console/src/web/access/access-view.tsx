import { useEffect, useState } from 'preact/hooks';
import { postJson } from '../api/api.ts';
import type { Kind } from '../api/kinds.ts';
import { NamespaceSelect } from '../parts/namespace-select.tsx';
import { Badge, fieldOf, Header, Table, useLoaded } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';
import type { Asker, Attributes } from './rbac.ts';
import { RulesBehind } from './rules-behind.tsx';

interface Props {
  readonly kinds: readonly Kind[];
  /** A question to begin with: user, verb, group, resource, namespace, name. */
  readonly question: URLSearchParams;
  /** Who asks, and is meant where nobody is named. */
  readonly self: Asker;
}

/** Who may do what: a check of one right, and all rules of the user who is logged in. */
export function AccessView({ kinds, question, self }: Props) {
  return (
    <>
      <Header title="Access" note="as the authorizers of the chain decide" />
      <Ask key={question.toString()} {...{ kinds, question, self }} />
      <Rules />
    </>
  );
}

interface Review {
  readonly status: {
    readonly allowed: boolean;
    readonly denied?: boolean;
    readonly reason?: string;
    readonly evaluationError?: string;
  };
}

const group = 'authorization.k8s.io/v1';
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', '*'];

function Ask({ kinds, question, self }: Props) {
  const [verdict, setVerdict] = useState<Verdict>();
  const [problem, setProblem] = useState<unknown>();
  const ask = async (form: HTMLFormElement) => {
    setProblem(undefined);
    setVerdict(undefined);
    const field = (name: string) => fieldOf(form, name);
    try {
      const { status } = await reviewOf(field);
      setVerdict({ ...status, asker: askerOf(field, self), asked: attributesOf(field) });
    } catch (error) {
      setProblem(error);
    }
  };
  useEffect(() => {
    const form = document.querySelector<HTMLFormElement>('form.ask');
    if (question.get('verb') !== null && form !== null) void ask(form);
  }, []);
  const resources = [...new Set(kinds.map(({ resource, group: of }) => (of === '' ? resource : `${resource}.${of}`)))];
  const asked = question.get('resource') ?? '';
  const askedGroup = question.get('group') ?? '';
  return (
    <section aria-label="Question">
      <h2>May somebody do this?</h2>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          void ask(event.currentTarget);
        }}
      >
        <TextField name="user" title="User" value={question.get('user') ?? ''} hint="yourself" />
        <TextField name="groups" title="Groups" value="" hint="with the user, by commas" />
        <TextField name="verb" title="Verb" value={question.get('verb') ?? 'get'} options={verbs} />
        <TextField
          name="resource"
          title="Resource or path"
          value={askedGroup === '' ? asked : `${asked}.${askedGroup}`}
          hint="deployments.apps, pods/log, /metrics"
          options={resources}
          isRequired
        />
        <TextField name="namespace" title="Namespace" value={question.get('namespace') ?? ''} hint="all" />
        <TextField name="name" title="Name" value={question.get('name') ?? ''} hint="any" />
        <button class="primary">Ask</button>
      </form>
      {problem !== undefined && <Refusal error={problem} />}
      {verdict !== undefined && (
        <p class="verdict" role="status">
          <Badge kind={verdict.allowed ? 'good' : 'bad'}>
            {verdict.allowed ? 'allowed' : verdict.denied === true ? 'denied' : 'not allowed'}
          </Badge>
          <span>
            {verdict.reason === undefined || verdict.reason === ''
              ? verdict.allowed
                ? ''
                : 'No rule allows it.'
              : verdict.reason}
            {verdict.evaluationError === undefined ? '' : ` ${verdict.evaluationError}`}
          </span>
        </p>
      )}
      {verdict !== undefined && (
        <RulesBehind {...{ kinds, asker: verdict.asker, asked: verdict.asked }} isAllowed={verdict.allowed} />
      )}
    </section>
  );
}

/** The response of the authorizers, and what it is about. */
interface Verdict extends Readonly<Review['status']> {
  readonly asker: Asker;
  readonly asked: Attributes;
}

const groupsOf = (field: Field): readonly string[] =>
  field('groups')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const askerOf = (field: Field, self: Asker): Asker =>
  field('user') === '' && groupsOf(field).length === 0 ? self : { name: field('user'), groups: groupsOf(field) };

/** The value of a field of the form. */
type Field = (name: string) => string;

function reviewOf(field: Field): Promise<Review> {
  const [user, groups] = [field('user'), groupsOf(field)];
  const kind = user === '' && groups.length === 0 ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const who = kind === 'SelfSubjectAccessReview' ? {} : { ...(user === '' ? {} : { user }), groups };
  const { path, verb, ...resourceAttributes } = attributesOf(field);
  const what =
    path === '' ? { resourceAttributes: { verb, ...resourceAttributes } } : { nonResourceAttributes: { verb, path } };
  return postJson<Review>(`/apis/${group}/${kind.toLowerCase()}s`, {
    apiVersion: group,
    kind,
    spec: { ...who, ...what },
  });
}

function attributesOf(field: Field): Attributes {
  const verb = field('verb');
  const what = field('resource');
  const nothing = { group: '', resource: '', subresource: '', namespace: '', name: '', path: '' };
  if (what.startsWith('/')) return { ...nothing, verb, path: what };
  const [full = '', subresource = ''] = what.split('/');
  const dot = full.indexOf('.');
  return {
    ...nothing,
    verb,
    resource: dot < 0 ? full : full.slice(0, dot),
    group: dot < 0 ? '' : full.slice(dot + 1),
    ...{ subresource, namespace: field('namespace'), name: field('name') },
  };
}

interface FieldProps {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly hint?: string;
  readonly options?: readonly string[];
  readonly isRequired?: boolean;
}

function TextField({ name, title, value, hint = '', options = [], isRequired = false }: FieldProps) {
  return (
    <label>
      {title}
      <input
        {...{ name, placeholder: hint, required: isRequired }}
        list={`ask-${name}`}
        defaultValue={value}
        spellcheck={false}
        autocomplete="off"
      />
      {options.length > 0 && (
        <datalist id={`ask-${name}`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface RulesReview {
  readonly status: {
    readonly resourceRules?: readonly {
      readonly verbs: readonly string[];
      readonly apiGroups?: readonly string[];
      readonly resources?: readonly string[];
      readonly resourceNames?: readonly string[];
    }[];
    readonly nonResourceRules?: readonly {
      readonly verbs: readonly string[];
      readonly nonResourceURLs?: readonly string[];
    }[];
    readonly incomplete: boolean;
    readonly evaluationError?: string;
  };
}

function Rules() {
  const [namespace, setNamespace] = useState('default');
  const { value, error } = useLoaded(
    () =>
      postJson<RulesReview>(`/apis/${group}/selfsubjectrulesreviews`, {
        apiVersion: group,
        kind: 'SelfSubjectRulesReview',
        spec: { namespace },
      }),
    [namespace],
  );
  const list = (names: readonly string[] = [], core = '') =>
    names.map((name) => (name === '' ? core : name)).join(', ');
  const rows = [
    ...(value?.status.resourceRules ?? []).map((rule) => [
      list(rule.verbs),
      list(rule.resources),
      list(rule.apiGroups, 'core'),
      list(rule.resourceNames),
    ]),
    ...(value?.status.nonResourceRules ?? []).map((rule) => [
      list(rule.verbs),
      list(rule.nonResourceURLs),
      'paths',
      '',
    ]),
  ];
  return (
    <section aria-label="Rules">
      <div class="toolbar">
        <h2>What you may do in</h2>
        <NamespaceSelect value={namespace} onChange={(chosen) => setNamespace(chosen === '' ? 'default' : chosen)} />
      </div>
      {error !== undefined && <Refusal error={error} />}
      {value?.status.incomplete === true && (
        <p class="note-box">
          The list may be incomplete. {value.status.evaluationError ?? 'An authorizer cannot list its rules.'}
        </p>
      )}
      {rows.length > 0 && (
        <Table columns={['Verbs', 'Resources or paths', 'Groups', 'Only names']}>
          {rows.map((cells, at) => (
            <tr key={at}>
              {cells.map((cell, column) => (
                <td key={column} class="wrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
