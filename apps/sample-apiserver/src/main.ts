import { createApiServer } from '@apichain/extension-server';
import { banFlunder, fischers } from './fischers.ts';
import { flunders } from './flunders.ts';

const server = createApiServer({
  name: 'wardle',
  summary: 'A sample extension API server: Flunders and Fischers of wardle.example.com.',
  resources: [flunders, fischers],
  admission: ({ client }) => [banFlunder(client)],
});
process.exit(await server.run());
