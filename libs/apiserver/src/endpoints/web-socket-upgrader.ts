import { createRequire } from 'node:module';
import type * as WebSockets from 'ws';

const require = createRequire(import.meta.url);
let upgrader: WebSockets.WebSocketServer | undefined;

/** The server that upgrades requests to WebSockets. The library is loaded on first use. */
export function webSocketUpgrader(): WebSockets.WebSocketServer {
  if (upgrader === undefined) {
    const { WebSocketServer } = require('ws') as typeof WebSockets;
    upgrader = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  }
  return upgrader;
}
