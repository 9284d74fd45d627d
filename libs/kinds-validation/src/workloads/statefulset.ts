import type { PodTemplateSpec } from '@apichain/api/core/v1';
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetUpdateStrategy,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
} from '@apichain/api/apps/v1';
import { field, isDNS1123Label, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { amountOf, intOrPercent, notMoreThan100Percent } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import {
  checkEach,
  collect,
  nonNegative,
  nonNegatives,
  optionalName,
  type Out,
  strictChoice,
} from '../common/rules.ts';
import { matchingForm, shownSelector } from '../common/selectors.ts';
import type { Capabilities } from '../pod/context.ts';
import { alwaysRunningErrors, podTemplateErrors, templateLabelErrors } from '../pod/template.ts';
import { claimSpecErrors } from '../storage/claim-spec.ts';
import { collisionErrors, countErrors, requiredSelectorErrors, templateMatchErrors } from './controllers.ts';

function rollingUpdateErrors(out: Out, path: string, rolling: RollingUpdateStatefulSetStrategy): void {
  nonNegative(out, `${path}.partition`, rolling.partition);
  if (!isSet(rolling.maxUnavailable)) return;
  const at = `${path}.maxUnavailable`;
  intOrPercent(out, at, rolling.maxUnavailable);
  if (amountOf(rolling.maxUnavailable) === 0) out.push(field.invalid(at, rolling.maxUnavailable, 'cannot be 0'));
  notMoreThan100Percent(out, at, rolling.maxUnavailable);
}

function strategyErrors(out: Out, strategy: StatefulSetUpdateStrategy): void {
  const path = 'spec.updateStrategy';
  const rolling = strategy.rollingUpdate;
  if ((strategy.type ?? '') === '') out.push(field.required(path));
  else if (strategy.type === 'OnDelete') {
    if (!isSet(rolling)) return;
    const shown = goValue('apps.v1.RollingUpdateStatefulSetStrategy', rolling);
    out.push(field.invalid(`${path}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (strategy.type === 'RollingUpdate') {
    if (isSet(rolling)) rollingUpdateErrors(out, `${path}.rollingUpdate`, rolling);
  } else {
    const shown = goValue('apps.v1.StatefulSetUpdateStrategy', strategy);
    out.push(field.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

function retentionErrors(out: Out, policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined): void {
  if (!isSet(policy)) return;
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const path = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    strictChoice(out, path, policy[name], ['Retain', 'Delete']);
  }
}

/** The template as the pods get it: with a volume for each claim template, and without the hostname and subdomain, which the controller sets. */
function podTemplateOf(spec: StatefulSetSpec): PodTemplateSpec {
  const template = spec.template ?? {};
  const podSpec = template.spec ?? {};
  const named = (spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name ?? '');
  const claims = new Set(named);
  if (claims.size === 0 && !isSet(podSpec.hostname) && !isSet(podSpec.subdomain)) return template;
  const volumes = [
    ...Array.from(claims, (name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(podSpec.volumes ?? []).filter((volume) => !claims.has(volume.name ?? '')),
  ];
  const { hostname: _h, subdomain: _s, ...rest } = podSpec;
  return { ...template, spec: { ...rest, volumes } };
}

function templateErrors(
  out: Out,
  spec: StatefulSetSpec,
  old: StatefulSetSpec | undefined,
  capabilities: Capabilities,
): void {
  if (matchingForm(spec.selector) === undefined) {
    out.push(field.invalid('spec.selector', shownSelector(spec.selector)));
    return;
  }
  templateMatchErrors(out, spec);
  const stored = old === undefined ? undefined : podTemplateOf(old);
  const oldWrong =
    stored !== undefined && collect((found) => podTemplateErrors(found, '', stored, stored, capabilities)).length > 0;
  if (!oldWrong) podTemplateErrors(out, 'spec.template', podTemplateOf(spec), stored, capabilities);
  templateLabelErrors(out, 'spec.template', spec.template ?? {});
  alwaysRunningErrors(out, 'spec.template', spec.template, 'StatefulSet');
}

function statefulSetErrors(out: Out, set: StatefulSet, old: StatefulSet | undefined, capabilities: Capabilities): void {
  const spec = set.spec ?? {};
  const policy = spec.podManagementPolicy ?? '';
  if (policy === '') out.push(field.required('spec.podManagementPolicy'));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    out.push(field.invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  strategyErrors(out, spec.updateStrategy ?? {});
  retentionErrors(out, spec.persistentVolumeClaimRetentionPolicy);
  if (old === undefined) {
    checkEach(out, spec.volumeClaimTemplates ?? [], (out, claim, i) => {
      claimSpecErrors(out, `spec.volumeClaimTemplates[${i}].spec`, claim.spec ?? {});
    });
  }
  nonNegatives(out, 'spec', spec, ['replicas', 'minReadySeconds']);
  if (isSet(spec.ordinals)) nonNegative(out, 'spec.ordinals.start', spec.ordinals?.start);
  if (old === undefined) optionalName(out, 'spec.serviceName', spec.serviceName, isDNS1123Label);
  requiredSelectorErrors(out, spec.selector, 'statefulset');
  templateErrors(out, spec, old === undefined ? undefined : (old.spec ?? {}), capabilities);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ */
export const validateStatefulSet = (set: StatefulSet, _old: undefined, capabilities: Capabilities): FieldError[] =>
  collect((out) => statefulSetErrors(out, set, undefined, capabilities));

const mutable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const mutableDetail =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const fixedPart = (spec: StatefulSetSpec | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => !mutable.includes(name)));

export function validateStatefulSetUpdate(
  set: StatefulSet,
  old: StatefulSet,
  capabilities: Capabilities,
): FieldError[] {
  return collect((out) => {
    statefulSetErrors(out, set, old, capabilities);
    if (!semanticEqual(fixedPart(set.spec), fixedPart(old.spec))) out.push(field.forbidden('spec', mutableDetail));
  });
}

export function validateStatefulSetStatus(set: StatefulSet, old: StatefulSet): FieldError[] {
  return collect((out) => {
    const status = set.status ?? {};
    const counts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
    nonNegatives(out, 'status', status, ['replicas', ...counts, 'observedGeneration', 'collisionCount']);
    countErrors(out, status, counts, 'status.readyReplicas');
    collisionErrors(out, set, old);
  });
}
