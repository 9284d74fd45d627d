import { createRequire } from 'node:module';
import type * as WebSockets from 'ws';

const require = createRequire(import.meta.url);
let upgrader: WebSockets.WebSocketServer | undefined;

/** What turns requests into WebSockets; its library is loaded with the first of them. */
export function webSocketUpgrader(): WebSockets.WebSocketServer {
  if (upgrader === undefined) {
    const { WebSocketServer } = require('ws') as typeof WebSockets;
    upgrader = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  }
  return upgrader;
}
