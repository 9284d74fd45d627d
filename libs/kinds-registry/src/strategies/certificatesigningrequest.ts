import type { RequestContext } from '@apichain/request';
import { assign, currentTime, isSet } from '@apichain/meta';
import { formatTime } from '@apichain/go-text';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@apichain/api/certificates/v1';
import type { KindBehaviour } from './behaviour.ts';

/** The requester is always the caller, whatever the request body contains. */
function stampRequester(csr: CertificateSigningRequest, ctx: RequestContext): void {
  const spec = (csr.spec ??= {});
  const { name, uid, groups, extra } = ctx.user;
  assign(spec, 'username', name === '' ? undefined : name);
  assign(spec, 'uid', uid === '' ? undefined : uid);
  assign(spec, 'groups', groups.length === 0 ? undefined : [...groups]);
  assign(spec, 'extra', Object.keys(extra).length === 0 ? undefined : copyOf(extra));
}

const copyOf = (extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]));

/** Sets the times of new conditions; a condition with unchanged status keeps its transition time. */
function fillConditionTimes(csr: CertificateSigningRequest, old: CertificateSigningRequest): void {
  const now = formatTime(new Date(currentTime()));
  const identity = ({ type, status }: CertificateSigningRequestCondition) => `${status ?? ''} ${type ?? ''}`;
  const before = new Map(
    (old.status?.conditions ?? [])
      .map((condition): [string, CertificateSigningRequestCondition] => [identity(condition), condition])
      .toReversed(),
  );
  for (const condition of csr.status?.conditions ?? []) {
    if (!isSet(condition.lastUpdateTime)) condition.lastUpdateTime = now;
    if (isSet(condition.lastTransitionTime)) continue;
    const same = before.get(identity(condition));
    condition.lastTransitionTime = same?.lastTransitionTime ?? now;
  }
}

const ofType = (object: CertificateSigningRequest, type: string): CertificateSigningRequestCondition[] =>
  (object.status?.conditions ?? []).filter((c) => c.type === type);

/** A write of the status cannot change approvals: if it has as many as are stored, the stored ones are restored. */
function restoreApprovals(csr: CertificateSigningRequest, old: CertificateSigningRequest): void {
  for (const type of ['Approved', 'Denied']) {
    const stored = ofType(old, type);
    const sent = ofType(csr, type);
    if (sent.length !== stored.length) continue;
    for (const [i, condition] of sent.entries()) Object.assign(condition, stored[i]);
  }
}

export const certificateSigningRequestBehaviour: KindBehaviour<CertificateSigningRequest> = {
  name: 'unchecked',
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
    },
    approval: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec', 'status.certificate'],
      prepareForUpdate: (csr, old) => {
        const status = { ...old.status };
        assign(status, 'conditions', csr.status?.conditions);
        csr.status = status;
        fillConditionTimes(csr, old);
      },
    },
  },
};
