"""The hierarchy and the table of S10.20: figure 3.6 as reconstructed, figures 3.7 and 3.8 with errata 38 and 39."""

from krypsis.data.hierarchies.base import Hierarchy

PARENTS = {
    "pneumonia": "X",
    "flu": "X",
    "strain": "X",
    "aids": "Y",
    "hepatitis": "Y",
    "prostate cancer": "Cancer",
    "lung cancer": "Cancer",
    "bladder cancer": "Cancer",
}
GRANDPARENTS = {"X": "NonCancer", "Y": "NonCancer", "Cancer": "Cancer"}
DISEASES = Hierarchy.from_rows([[leaf, node, GRANDPARENTS[node], "Any"] for leaf, node in PARENTS.items()])

# id, age, sex, zipcode, condition, group in figure 3.7, group in figure 3.8
FIGURE_3_7_AND_3_8 = """id,age,sex,zipcode,condition,ordinary,correlated
1,23,M,11000,pneumonia,2,1
2,27,M,13000,flu,1,4
3,35,M,59000,flu,1,5
4,59,M,12000,strain,2,2
5,61,F,54000,strain,1,2
6,65,F,25000,strain,1,3
7,65,F,25000,aids,3,3
8,70,F,30000,hepatitis,5,5
9,40,M,54000,prostate cancer,3,2
10,32,F,15000,prostate cancer,4,2
11,45,M,25000,lung cancer,4,1
12,75,F,10300,bladder cancer,5,4
"""
