import { createRequire } from 'node:module';
import { lazy } from '@apichain/meta';
import type * as WebSockets from 'ws';

const require = createRequire(import.meta.url);

/** The server that upgrades requests to WebSockets. The library is loaded on first use. */
export const webSocketUpgrader = lazy((): WebSockets.WebSocketServer => {
  const { WebSocketServer } = require('ws') as typeof WebSockets;
  return new WebSocketServer({ noServer: true, perMessageDeflate: false });
});
