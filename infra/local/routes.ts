/** A route of an HTTP API. */
export type Route = {
  /** Such as `POST /v1/threads/{thread}/prompts`. */
  routeKey: string;
  functionId: string;
  /** Only for requests that the IAM authorizer lets in. */
  iam: boolean;
};
export type Matched = { route: Route; pathParameters: Record<string, string> };

const PARAMETER = /^\{([^}+]+)(\+?)\}$/;

/** The path and the query as they are on the wire. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/**
 * The most specific route: literal segments win over parameters, parameters over `{rest+}`.
 * @returns `malformed` where the path's percent-encoding cannot be decoded
 */
export function matchRoute(routes: Route[], method: string, path: string): Matched | 'malformed' | undefined {
  const given = path.split('/');
  const decoded = given.map(decode);
  if (decoded.includes(undefined)) return 'malformed';
  const matches = routes.flatMap((route) => {
    const [routeMethod = '', routePath = ''] = route.routeKey.split(' ');
    if (routeMethod !== method && routeMethod !== 'ANY') return [];
    const match = matchPath(routePath.split('/'), given, decoded as string[]);
    return match ? [{ route, ...match }] : [];
  });
  return matches.sort((a, b) => (a.rank < b.rank ? -1 : 1))[0];
}

/** `rank` orders the matches of one path: a letter per segment, the earlier the more specific. */
function matchPath(pattern: string[], given: string[], decoded: string[]) {
  const pathParameters: Record<string, string> = {};
  let rank = '';
  for (const [n, segment] of pattern.entries()) {
    const [, name, rest] = PARAMETER.exec(segment) ?? [];
    if (name === undefined) {
      if (segment !== given[n]) return undefined;
      rank += 'a';
    } else if (rest) {
      if (n >= given.length) return undefined;
      return { pathParameters: { ...pathParameters, [name]: decoded.slice(n).join('/') }, rank: `${rank}c` };
    } else {
      if (!given[n]) return undefined;
      pathParameters[name] = decoded[n] ?? '';
      rank += 'b';
    }
  }
  return pattern.length === given.length ? { pathParameters, rank } : undefined;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
