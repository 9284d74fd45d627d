import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { startControlPlane } from './control-plane.ts';

/** `node src/main.ts [PORT]` runs the control plane until Ctrl-C. */
const [port = '7443'] = process.argv.slice(2);
const directory = 'data';
mkdirSync(directory, { recursive: true, mode: 0o700 });
const controlPlane = await startControlPlane({ directory, port: Number(port) });
const file = `${directory}/admin.kubeconfig`;
writeFileSync(file, controlPlane.kubeconfig, { mode: 0o600 });
console.log(`try: kubectl --kubeconfig ${file} get widgets`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await controlPlane.stop();
