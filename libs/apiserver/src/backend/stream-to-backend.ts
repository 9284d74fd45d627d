import type { IncomingMessage } from 'node:http';
import { connectionReason } from '@apichain/admission';
import { newBadRequest, newUnknownError } from '@apichain/meta';
import { scopeOf, takeUpgrade } from '../request-scope.ts';
import { backendHeaders, type Backend } from './backend.ts';
import { joinUpgrade, requestUpgrade, type UpgradeAnswer } from './upgrade.ts';

export const asksForUpgrade = (request: IncomingMessage): boolean => scopeOf(request).pendingUpgrade !== undefined;

/**
 * Joins the client with a backend over an upgraded connection (WebSocket, SPDY), whatever goes over it. Throws an error that the
 * client gets while there is no such connection: BadRequest when it asked for none.
 */
export async function streamToBackend(request: IncomingMessage, backend: Backend): Promise<void> {
  if (!asksForUpgrade(request)) throw newBadRequest('Upgrade request required');
  await upgradeToBackend(request, backend);
}

/** As streamToBackend, for a request that asks for an upgrade. */
export async function upgradeToBackend(request: IncomingMessage, backend: Backend): Promise<void> {
  const scope = scopeOf(request);
  const { method = 'GET' } = request;
  const headers = [...backendHeaders(request), 'Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? ''];
  let answer: UpgradeAnswer;
  try {
    answer = await requestUpgrade(backend, { method, headers, signal: scope.signal });
  } catch (error) {
    throw newUnknownError(`error dialing backend: ${connectionReason(error)}`);
  }
  const status = answer.answer.statusCode ?? 0;
  if (answer.connection === undefined && status < 400) {
    answer.answer.destroy();
    throw newUnknownError(`invalid upgrade response: status code ${status}`);
  }
  const upgrade = takeUpgrade(request);
  if (upgrade === undefined) {
    answer.connection?.socket.destroy();
    return;
  }
  scope.initialized();
  await joinUpgrade(answer, upgrade.socket, upgrade.head);
}
