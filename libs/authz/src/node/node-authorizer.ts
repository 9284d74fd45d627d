import { goQuote } from '@apichain/go-text';
import { parseFieldSelector } from '@apichain/meta';
import type { UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer, RuleList } from '../authorizer.ts';
import { ruleAllows } from '../rbac/policy-rule.ts';
import type { Copy } from '../followed-copy.ts';
import type { NodeGraph } from './node-graph.ts';
import { nodeRules } from './node-rules.ts';
import type { ReferencedKind } from './object-references.ts';

const allowed: AuthorizationResult = { decision: 'Allow', reason: '' };
const refused = (reason = ''): AuthorizationResult => ({ decision: 'NoOpinion', reason });

const leaseNamespace = 'kube-node-lease';
const ownVerbs: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);
const reading: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * `--authorization-mode=Node`: kubelets may read objects that belong to their node or are needed by pods bound to it. Other requests follow the
 * rules of system:node. Never denies, and has no opinion about other users. The NodeRestriction plugin checks the writes of kubelets.
 * https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
export class NodeAuthorizer implements Authorizer {
  readonly #graph: NodeGraph;
  readonly #copy: Copy | undefined;

  /** `copy` is the data behind the graph, where that data may be slightly behind. */
  constructor(graph: NodeGraph, copy?: Copy) {
    this.#graph = graph;
    this.#copy = copy;
  }

  authorize(asked: AuthorizationAttributes): AuthorizationResult | Promise<AuthorizationResult> {
    const version = this.#copy?.version;
    let usesGraph = false;
    const relations: Relations = {
      relates: (node, reference) => {
        usesGraph = true;
        return this.#graph.relates(node, reference);
      },
    };
    const result = decide(asked, relations);
    if (result.decision === 'Allow' || !usesGraph || this.#copy === undefined) return result;
    return this.#again(asked, result, version, this.#copy);
  }

  /** The refusal, unless recent writes allow the request. */
  async #again(
    asked: AuthorizationAttributes,
    refusal: AuthorizationResult,
    version: number | undefined,
    copy: Copy,
  ): Promise<AuthorizationResult> {
    await copy.catchUp();
    return copy.version === version ? refusal : decide(asked, this.#graph);
  }

  rulesFor(user: UserInfo): RuleList {
    const none = { resourceRules: [], nonResourceRules: [] };
    if (nodeOf(user) === undefined) return { ...none, incomplete: false };
    return {
      ...none,
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    };
  }
}

type Relations = Pick<NodeGraph, 'relates'>;

function decide(asked: AuthorizationAttributes, graph: Relations): AuthorizationResult {
  const node = nodeOf(asked.user);
  if (node === undefined) return refused();
  if (node === '') return refused(`unknown node for user ${goQuote(asked.user.name)}`);
  const check = asked.isResourceRequest ? checks.get(`${asked.apiGroup}/${asked.resource}`) : undefined;
  if (check !== undefined) return check(asked, node, graph);
  return nodeRules.some((rule) => ruleAllows(rule, asked)) ? allowed : refused();
}

type Check = (asked: AuthorizationAttributes, node: string, graph: Relations) => AuthorizationResult;

/** By API group and resource. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>(
  Object.entries({
    '/secrets': readable('secret'),
    '/configmaps': readable('configmap'),
    '/persistentvolumeclaims': (asked, node, graph) =>
      asked.subresource === 'status'
        ? checkClaimStatus(asked, node, graph)
        : checkGet('persistentvolumeclaim')(asked, node, graph),
    '/persistentvolumes': checkGet('persistentvolume'),
    '/serviceaccounts': checkAccount,
    '/nodes': checkNode,
    '/pods': checkPod,
    'resource.k8s.io/resourceclaims': checkGet('resourceclaim'),
    'resource.k8s.io/resourceslices': checkSlice,
    'storage.k8s.io/volumeattachments': checkGet('volumeattachment'),
    'storage.k8s.io/csinodes': checkCsiNode,
    'coordination.k8s.io/leases': checkLease,
  }),
);

function related(kind: ReferencedKind, asked: AuthorizationAttributes, node: string, graph: Relations) {
  const { name, namespace } = asked;
  if (name === '') return refused('No Object name found');
  return graph.relates(node, { kind, namespace, name })
    ? allowed
    : refused(`no relationship found between node '${node}' and this object`);
}

function checkGet(kind: ReferencedKind): Check {
  return (asked, node, graph) => {
    if (asked.verb !== 'get') return refused('can only get individual resources of this type');
    if (asked.subresource !== '') return refused('cannot get subresource');
    return related(kind, asked, node, graph);
  };
}

/** Reads of one object by its name. A list or a watch restricted to that name is allowed too. */
function readable(kind: ReferencedKind): Check {
  return (asked, node, graph) => {
    if (!reading.has(asked.verb)) return refused('can only read resources of this type');
    if (asked.subresource !== '') return refused('cannot read subresource');
    if (asked.namespace === '') return refused('can only read namespaced object of this type');
    return related(kind, asked, node, graph);
  };
}

function checkClaimStatus(asked: AuthorizationAttributes, node: string, graph: Relations): AuthorizationResult {
  if (asked.verb !== 'update' && asked.verb !== 'patch') return refused('can only get/update/patch this type');
  return related('persistentvolumeclaim', asked, node, graph);
}

/** Reads of the service accounts of the node's pods, and tokens for them. */
function checkAccount(asked: AuthorizationAttributes, node: string, graph: Relations): AuthorizationResult {
  const { verb, subresource, name } = asked;
  if (verb === 'get' && subresource === '') return readable('serviceaccount')(asked, node, graph);
  if (verb !== 'create' || name === '') return refused('can only create tokens for individual service accounts');
  if (subresource !== 'token') return refused('can only create token subresource of serviceaccount');
  return related('serviceaccount', asked, node, graph);
}

function checkLease({ verb, namespace, name }: AuthorizationAttributes, node: string): AuthorizationResult {
  if (!ownVerbs.has(verb)) return refused('can only get, create, update, patch, or delete a node lease');
  if (namespace !== leaseNamespace) {
    return refused(`can only access leases in the ${goQuote(leaseNamespace)} system namespace`);
  }
  if (verb === 'create' || name === node) return allowed;
  return refused('can only access node lease with the same name as the requesting node');
}

function checkCsiNode({ verb, subresource, name }: AuthorizationAttributes, node: string): AuthorizationResult {
  if (!ownVerbs.has(verb)) return refused('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return refused('cannot authorize CSINode subresources');
  if (verb === 'create' || name === node) return allowed;
  return refused('can only access CSINode with the same name as the requesting node');
}

function checkSlice(asked: AuthorizationAttributes, node: string, graph: Relations): AuthorizationResult {
  if (asked.subresource !== '') return refused('cannot authorize ResourceSlice subresources');
  switch (asked.verb) {
    case 'create':
      return allowed;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related('resourceslice', asked, node, graph);
    case 'watch':
    case 'list':
    case 'deletecollection':
      return selects(asked, 'spec.nodeName', node)
        ? allowed
        : refused('can only list/watch/deletecollection resourceslices with nodeName field selector');
    default:
      return refused(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}

function checkNode({ verb, subresource, name }: AuthorizationAttributes, node: string): AuthorizationResult {
  const writes = verb === 'update' || verb === 'patch';
  if (subresource === 'status') return writes ? allowed : refused();
  if (subresource !== '') return refused();
  if (writes || verb === 'create') return allowed;
  if (!reading.has(verb)) return refused();
  if (name === node) return allowed;
  return refused(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
}

function checkPod(asked: AuthorizationAttributes, node: string, graph: Relations): AuthorizationResult {
  const { verb, subresource, name } = asked;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allowed : refused();
  if (subresource === 'eviction') return verb === 'create' ? allowed : refused();
  if (subresource !== '') return refused();
  if (verb === 'get') return checkGet('pod')(asked, node, graph);
  if (verb === 'create' || verb === 'delete') return allowed;
  if (verb !== 'list' && verb !== 'watch') return refused();
  if (selects(asked, 'spec.nodeName', node)) return allowed;
  if (name !== '') return related('pod', asked, node, graph);
  return refused('can only list/watch pods with spec.nodeName field selector');
}

/** Whether a field selector restricts the request to objects with that value of the field. */
function selects({ fieldSelector }: AuthorizationAttributes, field: string, value: string): boolean {
  if (fieldSelector === '') return false;
  try {
    return parseFieldSelector(fieldSelector).requirements.some(
      (requirement) => requirement.field === field && requirement.operator === '=' && requirement.value === value,
    );
  } catch {
    // A selector that cannot be parsed restricts nothing.
    return false;
  }
}

const userPrefix = 'system:node:';

/**
 * The node of a kubelet. `''` = a kubelet that does not name its node; undefined = the user is not a kubelet.
 * https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(userPrefix) && groups.includes('system:nodes') ? name.slice(userPrefix.length) : undefined;
}
