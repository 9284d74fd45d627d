import { join } from 'node:path';
import ts from 'typescript';
import { repository } from './chain.ts';

/** Declarations of others that use nothing of ours. Checking typebox's takes as long as all the rest, some 25 seconds. */
const unchecked = /\/node_modules\/(?:typescript|typebox)\//;

/**
 * The errors of TypeScript in the files of a consumer and in the declarations that they use, of the package and of its dependencies, as with
 * `skipLibCheck: false`. The options are those of the command line (`--module nodenext` is `{ module: 'nodenext' }`).
 */
export function typeErrors(files: readonly string[], options: Readonly<Record<string, unknown>>): readonly string[] {
  const typeRoots = [join(repository, 'node_modules/@types')];
  const given = { noEmit: true, target: 'esnext', types: ['node'], typeRoots, ...options, skipLibCheck: false };
  const { options: parsed, errors } = ts.convertCompilerOptionsFromJson(given, repository);
  const program = ts.createProgram(files, parsed);
  const checked = program.getSourceFiles().filter(({ fileName }) => !unchecked.test(fileName));
  return [
    ...errors,
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ].map(({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
