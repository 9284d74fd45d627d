import type { UserInfo } from './authenticator.ts';

/**
 * The static token file: lines of `token,user,uid[,"group1,group2"]`.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file
 * Throws Error naming the line when a line has fewer than three columns or an empty token.
 */
export function parseTokenFile(csv: string): Map<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  csv.split('\n').forEach((line, index) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return;
    const columns = splitCsvLine(text);
    const [token, name, uid, groups] = columns;
    if (token === undefined || name === undefined || uid === undefined) {
      throw new Error(
        `token file, line ${index + 1}: must have at least 3 columns (token, user name, user uid), found ${columns.length}`,
      );
    }
    if (token === '') throw new Error(`token file, line ${index + 1}: empty token`);
    users.set(token, {
      name,
      uid,
      groups: groups === undefined || groups === '' ? [] : groups.split(',').map((group) => group.trim()),
      extra: {},
    });
  });
  return users;
}

function splitCsvLine(line: string): string[] {
  const columns: string[] = [];
  let column = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (quoted && character === '"' && line.charAt(i + 1) === '"') {
      column += '"';
      i++;
    } else if (character === '"' && (quoted || column.trim() === '')) {
      quoted = !quoted;
      if (quoted) column = '';
    } else if (character === ',' && !quoted) {
      columns.push(column.trim());
      column = '';
    } else column += character;
  }
  columns.push(column.trim());
  return columns;
}
