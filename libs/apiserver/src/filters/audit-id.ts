import { randomUUID } from 'node:crypto';
import { scopeOf } from '@apichain/request';
import type { Filter } from '@apichain/request';

const printable = /^[\x20-\x7e]+$/;

/** Uses the Audit-ID of the request, or generates one, and sends it in the response. */
export const auditId: Filter = (request, response, next) => {
  const given = request.headers['audit-id'];
  const id = typeof given === 'string' && printable.test(given) ? given : randomUUID();
  scopeOf(request).auditId = id;
  response.setHeader('Audit-Id', id);
  next();
};
