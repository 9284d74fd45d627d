/** The program of the worker threads of a server: passes over documents that would hold the thread which serves requests. */
import { checkDefinition } from '@apichain/cel/definition-work';
import { computeManagedFields } from '@apichain/managed-fields/field-work';
import { serveWork } from '@apichain/worker-pool/serve';

serveWork({ checkDefinition, computeManagedFields });
