import { field, isDNS1123Label, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, type Plain, record, records, text } from '@apichain/kinds';
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
import type { Capabilities } from '../pod/capabilities.ts';
import { alwaysRunningErrors, podTemplateErrors, templateLabelErrors } from '../pod/template.ts';
import { claimSpecErrors } from '../storage/claim-spec.ts';
import { collisionErrors, countErrors, requiredSelectorErrors, templateMatchErrors } from './controllers.ts';

function rollingUpdateErrors(out: Out, path: string, rolling: Plain): void {
  nonNegative(out, `${path}.partition`, rolling.partition);
  if (!isSet(rolling.maxUnavailable)) return;
  const at = `${path}.maxUnavailable`;
  intOrPercent(out, at, rolling.maxUnavailable);
  if (amountOf(rolling.maxUnavailable) === 0) out.push(field.invalid(at, rolling.maxUnavailable, 'cannot be 0'));
  notMoreThan100Percent(out, at, rolling.maxUnavailable);
}

function strategyErrors(out: Out, strategy: Plain): void {
  const path = 'spec.updateStrategy';
  const rolling = strategy.rollingUpdate;
  if (text(strategy.type) === '') out.push(field.required(path));
  else if (strategy.type === 'OnDelete') {
    if (!isSet(rolling)) return;
    const shown = goValue('apps.v1.RollingUpdateStatefulSetStrategy', rolling);
    out.push(field.invalid(`${path}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (strategy.type === 'RollingUpdate') {
    if (isSet(rolling)) rollingUpdateErrors(out, `${path}.rollingUpdate`, record(rolling));
  } else {
    const shown = goValue('apps.v1.StatefulSetUpdateStrategy', strategy);
    out.push(field.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

function retentionErrors(out: Out, policy: unknown): void {
  if (!isSet(policy)) return;
  for (const name of ['whenDeleted', 'whenScaled']) {
    const path = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    strictChoice(out, path, record(policy)[name], ['Retain', 'Delete']);
  }
}

/** The template as the pods will have it: with a volume for each name of a claim, and named by the controller. */
function podTemplateOf(spec: Plain): Plain {
  const template = record(spec.template);
  const podSpec = record(template.spec);
  const named = records(spec.volumeClaimTemplates).map((claim) => text(at(claim, 'metadata', 'name')));
  const claims = new Set(named);
  if (claims.size === 0 && !isSet(podSpec.hostname) && !isSet(podSpec.subdomain)) return template;
  const volumes = [
    ...Array.from(claims, (name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...records(podSpec.volumes).filter((volume) => !claims.has(text(volume.name))),
  ];
  const { hostname: _h, subdomain: _s, ...rest } = podSpec;
  return { ...template, spec: { ...rest, volumes } };
}

function templateErrors(out: Out, spec: Plain, old: Plain | undefined, capabilities: Capabilities): void {
  if (matchingForm(spec.selector) === undefined) {
    out.push(field.invalid('spec.selector', shownSelector(spec.selector)));
    return;
  }
  templateMatchErrors(out, spec);
  const stored = old === undefined ? undefined : podTemplateOf(old);
  const oldWrong =
    stored !== undefined && collect((found) => podTemplateErrors(found, '', stored, stored, capabilities)).length > 0;
  if (!oldWrong) podTemplateErrors(out, 'spec.template', podTemplateOf(spec), stored, capabilities);
  templateLabelErrors(out, 'spec.template', record(spec.template));
  alwaysRunningErrors(out, 'spec.template', spec.template, 'StatefulSet');
}

function statefulSetErrors(out: Out, set: KubeObject, old: KubeObject | undefined, capabilities: Capabilities): void {
  const spec = record(set.spec);
  const policy = text(spec.podManagementPolicy);
  if (policy === '') out.push(field.required('spec.podManagementPolicy'));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    out.push(field.invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  strategyErrors(out, record(spec.updateStrategy));
  retentionErrors(out, spec.persistentVolumeClaimRetentionPolicy);
  if (old === undefined) {
    checkEach(out, records(spec.volumeClaimTemplates), (out, claim, i) => {
      claimSpecErrors(out, `spec.volumeClaimTemplates[${i}].spec`, record(claim.spec));
    });
  }
  nonNegatives(out, 'spec', spec, ['replicas', 'minReadySeconds']);
  if (isSet(spec.ordinals)) nonNegative(out, 'spec.ordinals.start', record(spec.ordinals).start);
  if (old === undefined) optionalName(out, 'spec.serviceName', spec.serviceName, isDNS1123Label);
  requiredSelectorErrors(out, spec.selector, 'statefulset');
  templateErrors(out, spec, old === undefined ? undefined : record(old.spec), capabilities);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ */
export const validateStatefulSet = (set: KubeObject, _old: undefined, capabilities: Capabilities): FieldError[] =>
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

const fixedPart = (spec: unknown): Plain =>
  Object.fromEntries(Object.entries(record(spec)).filter(([name]) => !mutable.includes(name)));

export function validateStatefulSetUpdate(set: KubeObject, old: KubeObject, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    statefulSetErrors(out, set, old, capabilities);
    if (!semanticEqual(fixedPart(set.spec), fixedPart(old.spec))) out.push(field.forbidden('spec', mutableDetail));
  });
}

export function validateStatefulSetStatus(set: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const status = record(set.status);
    const counts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
    nonNegatives(out, 'status', status, ['replicas', ...counts, 'observedGeneration', 'collisionCount']);
    countErrors(out, status, counts, 'status.readyReplicas');
    collisionErrors(out, set, old);
  });
}
