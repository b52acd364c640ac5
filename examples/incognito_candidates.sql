-- S_2: the nodes over two attributes that keep the promises. E_2: the edges among the candidates of two attributes.

-- Join: two nodes that are alike but for their last attribute become one over three.
CREATE TABLE C_3 AS
SELECT row_number() OVER () AS id,
       p.dim_1, p.index_1, p.dim_2, p.index_2, q.dim_2 AS dim_3, q.index_2 AS index_3,
       p.id AS parent_1, q.id AS parent_2
FROM   S_2 AS p, S_2 AS q
WHERE  p.dim_1 = q.dim_1 AND p.index_1 = q.index_1 AND p.dim_2 < q.dim_2;

-- Prune: whichever attribute is left out, the rest is in S_2. The two parents are.
DELETE FROM C_3 AS c
WHERE  NOT EXISTS (SELECT * FROM S_2 AS s
                   WHERE s.dim_1 = c.dim_2 AND s.index_1 = c.index_2 AND s.dim_2 = c.dim_3 AND s.index_2 = c.index_3);

-- Edges: one parent or both go one step up; what two edges lead to needs no third.
CREATE TABLE E_3 AS
WITH steps AS (
    SELECT p.id AS start_id, q.id AS end_id
    FROM   C_3 AS p, C_3 AS q, E_2 AS e, E_2 AS f
    WHERE  e.start_id = p.parent_1 AND e.end_id = q.parent_1 AND f.start_id = p.parent_2 AND f.end_id = q.parent_2
    UNION
    SELECT p.id, q.id
    FROM   C_3 AS p, C_3 AS q, E_2 AS e
    WHERE  e.start_id = p.parent_1 AND e.end_id = q.parent_1 AND p.parent_2 = q.parent_2
    UNION
    SELECT p.id, q.id
    FROM   C_3 AS p, C_3 AS q, E_2 AS f
    WHERE  p.parent_1 = q.parent_1 AND f.start_id = p.parent_2 AND f.end_id = q.parent_2
)
SELECT start_id, end_id FROM steps
EXCEPT
SELECT one.start_id, two.end_id FROM steps AS one, steps AS two WHERE one.end_id = two.start_id;
