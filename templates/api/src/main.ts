import { server } from './server.ts';

// In a pod, all flags of connections have defaults. `node src/main.ts --help` lists the flags.
process.exit(await server.run());
