import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { startControlPlane } from './control-plane.ts';

/** `node main.ts [DIRECTORY [PORT]]` runs the control plane until Ctrl-C. */
const [directory = '.control-plane', port = '7443'] = process.argv.slice(2);
mkdirSync(directory, { recursive: true });
const controlPlane = await startControlPlane(directory, Number(port));
const file = `${directory}/admin.kubeconfig`;
writeFileSync(file, controlPlane.kubeconfig, { mode: 0o600 });
process.stdout.write(`try: kubectl --kubeconfig ${file} get tenants\n`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await controlPlane.stop();
