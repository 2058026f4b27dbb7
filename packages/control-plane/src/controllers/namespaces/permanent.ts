/** Namespaces that exist from the start and cannot be deleted. */
export const PERMANENT_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** The namespaces that every new cluster has. */
export const FIRST_NAMESPACES: readonly string[] = [...PERMANENT_NAMESPACES, 'kube-node-lease'];
