import { randomUUID } from 'node:crypto';
import { AuditTrail, type Audit } from '@apichain/audit';
import type { UserInfo } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';
import { scopeOf, sanitizeHtml, writeTextError, type Filter } from '@apichain/request';

const printable = /^[\x20-\x7e]+$/;

/** Uses the Audit-ID of the request, or generates one, and sends it in the response. */
export const auditId: Filter = (request, response, next) => {
  const given = request.headers['audit-id'];
  const id = typeof given === 'string' && printable.test(given) ? given : randomUUID();
  scopeOf(request).auditId = id;
  response.setHeader('Audit-Id', id);
  next();
};

/**
 * Writes audit events of requests that match the policy. Runs between authentication and impersonation. `self` is the user of the server
 * itself. Its access reviews, which it sends to a later server of the chain for its own callers, are not audited.
 */
export function auditing(audit: Audit, self: UserInfo): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    if (scope.user === self && scope.requestInfo.resource === 'subjectaccessreviews') {
      next();
      return;
    }
    const decision = audit.evaluator.evaluate(scope.user, scope.requestInfo);
    audit.metrics.level(decision.level);
    if (decision.level === 'None') {
      next();
      return;
    }
    const trail = new AuditTrail(scope, scope.user, decision, audit);
    scope.audit?.track('authentication', scope.authenticationMs);
    const goOn = (isStored: boolean) => {
      if (isStored) {
        trail.follow();
        next();
        return;
      }
      audit.metrics.rejected();
      const text = `Internal Server Error: ${goQuote(request.url ?? '')}: failed to store audit event`;
      writeTextError(response, 500, sanitizeHtml(text));
    };
    const stored = trail.reach('RequestReceived');
    if (typeof stored === 'boolean') goOn(stored);
    else stored.then(goOn).catch(next);
  };
}

/** Audits a request that is answered with 401. */
export function auditingRefusals(audit: Audit): (request: Parameters<Filter>[0]) => void {
  return (request) => {
    const scope = scopeOf(request);
    const decision = audit.evaluator.evaluate(undefined, scope.requestInfo);
    audit.metrics.level(decision.level);
    if (decision.level !== 'None') new AuditTrail(scope, undefined, decision, audit).followRefusal();
  };
}
