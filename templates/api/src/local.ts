import { server } from './server.ts';

// `npm start`: on this machine, registered with the API server of $KUBECONFIG or with that of `npx apichain up`.
const kubeconfig = process.env.KUBECONFIG ?? '.apichain/admin.kubeconfig';
const connections = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
const flags = [
  ...connections.map((flag) => `--${flag}=${kubeconfig}`),
  '--register',
  '--data-dir=data',
  '--bind-address=127.0.0.1',
  '--secure-port=8443',
];
process.exit(await server.run([...flags, ...process.argv.slice(2)]));
