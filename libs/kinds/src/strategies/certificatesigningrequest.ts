import type { RequestContext } from '@apichain/apiserver';
import type { FieldError, KubeObject } from '@apichain/meta';
import { currentTime, field } from '@apichain/meta';
import { assign, ensureRecord, formatTime, isSet, type Plain, record, records, text } from '../fields.ts';
import type { KindBehaviour } from './behaviour.ts';

/** A request always says who made it: the caller, whatever the body claims. */
function stampRequester(csr: KubeObject, ctx: RequestContext): void {
  const spec = ensureRecord(csr, 'spec');
  const { name, uid, groups, extra } = ctx.user;
  assign(spec, 'username', name === '' ? undefined : name);
  assign(spec, 'uid', uid === '' ? undefined : uid);
  assign(spec, 'groups', groups.length === 0 ? undefined : [...groups]);
  assign(spec, 'extra', Object.keys(extra).length === 0 ? undefined : structuredClone(extra));
}

/** New conditions get their times; a transition keeps the time of an equal earlier one. */
function fillConditionTimes(csr: KubeObject, old: KubeObject): void {
  const now = formatTime(new Date(currentTime()));
  const before = records(record(old.status).conditions);
  for (const condition of records(record(csr.status).conditions)) {
    if (!isSet(condition.lastUpdateTime)) condition.lastUpdateTime = now;
    if (isSet(condition.lastTransitionTime)) continue;
    const same = before.find((c) => c.type === condition.type && c.status === condition.status);
    condition.lastTransitionTime = same?.lastTransitionTime ?? now;
  }
}

const ofType = (object: KubeObject, type: string): Plain[] =>
  records(record(object.status).conditions).filter((c) => c.type === type);

/** A status writer can not touch an approval: instances are put back when it sent as many as there are. */
function restoreApprovals(csr: KubeObject, old: KubeObject): void {
  for (const type of ['Approved', 'Denied']) {
    const stored = ofType(old, type);
    const sent = ofType(csr, type);
    if (sent.length !== stored.length) continue;
    for (const [i, condition] of sent.entries()) Object.assign(condition, stored[i]);
  }
}

function conditionErrors(csr: KubeObject, old: KubeObject, mayAdd: readonly string[]): FieldError[] {
  const path = 'status.conditions';
  return ['Approved', 'Denied', 'Failed'].flatMap((type) => {
    const before = ofType(old, type).length;
    const after = ofType(csr, type).length;
    const quoted = JSON.stringify(type);
    if (after < before) return [field.forbidden(path, `updates may not remove a condition of type ${quoted}`)];
    if (after > before && !mayAdd.includes(type)) {
      return [field.forbidden(path, `updates may not add a condition of type ${quoted}`)];
    }
    return [];
  });
}

/** Approved, Denied and Failed can only be true, and a request is not both approved and denied. */
function decisionErrors(csr: KubeObject, old: KubeObject): FieldError[] {
  const path = 'status.conditions';
  const statuses = records(record(csr.status).conditions).flatMap((condition, i) =>
    ['Approved', 'Denied', 'Failed'].includes(text(condition.type)) && condition.status !== 'True'
      ? [field.notSupported(`${path}[${i}].status`, condition.status, ['True'])]
      : [],
  );
  const both = (object: KubeObject) => ofType(object, 'Approved').length > 0 && ofType(object, 'Denied').length > 0;
  if (!both(csr) || both(old)) return statuses;
  return [...statuses, field.invalid(path, 'Denied', 'Approved and Denied conditions are mutually exclusive')];
}

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/;

function certificateErrors(csr: KubeObject, old: KubeObject): FieldError[] {
  const issued = certificate(csr);
  if (issued === '' || issued === certificate(old)) return [];
  if (certificate(old) !== '') {
    return [field.forbidden('status.certificate', 'updates may not modify existing certificate content')];
  }
  if (pemBlock.test(Buffer.from(issued, 'base64').toString('utf8'))) return [];
  return [field.invalid('status.certificate', '<certificate data>', 'must contain at least one CERTIFICATE PEM block')];
}

const certificate = (csr: KubeObject): string => text(record(csr.status).certificate);

export const certificateSigningRequestBehaviour: KindBehaviour = {
  name: 'any',
  status: 'reset',
  resetFields: ['spec', 'status'],
  prepareForCreate: stampRequester,
  prepareForUpdate: (csr, old) => {
    csr.spec = old.spec;
  },
  subresources: {
    status: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec', 'status.conditions'],
      prepareForUpdate: (csr, old) => {
        restoreApprovals(csr, old);
        fillConditionTimes(csr, old);
      },
      validateUpdate: (csr, old) => [
        ...decisionErrors(csr, old),
        ...certificateErrors(csr, old),
        ...conditionErrors(csr, old, ['Failed']),
      ],
    },
    approval: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec', 'status.certificate'],
      prepareForUpdate: (csr, old) => {
        const conditions = record(csr.status).conditions;
        csr.status = { ...record(old.status) };
        assign(record(csr.status), 'conditions', conditions);
        fillConditionTimes(csr, old);
      },
      validateUpdate: (csr, old) => [
        ...decisionErrors(csr, old),
        ...conditionErrors(csr, old, ['Approved', 'Denied', 'Failed']),
      ],
    },
  },
};
