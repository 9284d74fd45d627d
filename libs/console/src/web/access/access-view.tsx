import { useEffect, useState } from 'preact/hooks';
import { postJson } from '../api/api.ts';
import type { Kind } from '../api/kinds.ts';
import { NamespaceSelect } from '../parts/namespace-select.tsx';
import { Badge, fieldOf, Header, Table, useLoaded } from '../parts/parts.tsx';
import { Refusal } from '../parts/refusal.tsx';

interface Props {
  readonly kinds: readonly Kind[];
  /** A question to begin with: user, verb, group, resource, namespace, name. */
  readonly question: URLSearchParams;
}

/** Who may do what: a check of one right, and all rules of the user who is logged in. */
export function AccessView({ kinds, question }: Props) {
  return (
    <>
      <Header title="Access" note="as the authorizers of the chain decide" />
      <Ask key={question.toString()} kinds={kinds} question={question} />
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

function Ask({ kinds, question }: Props) {
  const [review, setReview] = useState<Review['status']>();
  const [problem, setProblem] = useState<unknown>();
  const ask = async (form: HTMLFormElement) => {
    setProblem(undefined);
    setReview(undefined);
    try {
      setReview((await reviewOf((name) => fieldOf(form, name))).status);
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
        <Field name="user" title="User" value={question.get('user') ?? ''} hint="yourself" />
        <Field name="groups" title="Groups" value="" hint="with the user, by commas" />
        <Field name="verb" title="Verb" value={question.get('verb') ?? 'get'} options={verbs} />
        <Field
          name="resource"
          title="Resource or path"
          value={askedGroup === '' ? asked : `${asked}.${askedGroup}`}
          hint="deployments.apps, pods/log, /metrics"
          options={resources}
          isRequired
        />
        <Field name="namespace" title="Namespace" value={question.get('namespace') ?? ''} hint="all" />
        <Field name="name" title="Name" value={question.get('name') ?? ''} hint="any" />
        <button class="primary">Ask</button>
      </form>
      {problem !== undefined && <Refusal error={problem} />}
      {review !== undefined && (
        <p class="verdict" role="status">
          <Badge kind={review.allowed ? 'good' : 'bad'}>
            {review.allowed ? 'allowed' : review.denied === true ? 'denied' : 'not allowed'}
          </Badge>
          <span>
            {review.reason === undefined || review.reason === ''
              ? review.allowed
                ? ''
                : 'No rule allows it.'
              : review.reason}
            {review.evaluationError === undefined ? '' : ` ${review.evaluationError}`}
          </span>
        </p>
      )}
    </section>
  );
}

function reviewOf(field: (name: string) => string): Promise<Review> {
  const user = field('user');
  const groups = field('groups')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const kind = user === '' && groups.length === 0 ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const who = kind === 'SelfSubjectAccessReview' ? {} : { ...(user === '' ? {} : { user }), groups };
  const path = `/apis/${group}/${kind.toLowerCase()}s`;
  return postJson<Review>(path, { apiVersion: group, kind, spec: { ...who, ...attributesOf(field) } });
}

function attributesOf(field: (name: string) => string): object {
  const verb = field('verb');
  const what = field('resource');
  if (what.startsWith('/')) return { nonResourceAttributes: { verb, path: what } };
  const [full = '', subresource = ''] = what.split('/');
  const dot = full.indexOf('.');
  return {
    resourceAttributes: {
      verb,
      resource: dot < 0 ? full : full.slice(0, dot),
      group: dot < 0 ? '' : full.slice(dot + 1),
      ...{ subresource, namespace: field('namespace'), name: field('name') },
    },
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

function Field({ name, title, value, hint = '', options = [], isRequired = false }: FieldProps) {
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
